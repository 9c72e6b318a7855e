#pragma once

#include "plugin/base/json.hpp"
#include "plugin/base/units.hpp"

#include <QLockFile>

#include <string>

namespace lowtide::ui {

/// A JSON file that several programs change, which wait for each other while it lives. Errors are
/// those of files::OutputFile.
class SharedJsonFile {
public:
    /// Makes its folder. A folder without locks has one writer. `most`: bytes that are read.
    SharedJsonFile(std::string path, Bytes most);

    /// What `mine` and the file make of `base` together; without a file that can be read, mine.
    [[nodiscard]] Json merged(const Json& base, const Json& mine) const;
    /// Whole or not at all.
    void write(const std::string& text) const;

private:
    const std::string path_;
    const Bytes most_;
    QLockFile lock_;
};

}  // namespace lowtide::ui
