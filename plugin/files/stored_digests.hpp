#pragma once

#include "plugin/files/cache_table.hpp"
#include "plugin/files/input_file.hpp"

#include <optional>
#include <string>

namespace lowtide::files {

/// The file of FileDigests. What cannot be read or written is said in the log and does without.
class StoredDigests {
public:
    /// Empty: nothing is stored.
    explicit StoredDigests(std::string folder);

    /// What is stored for the file at `path` as it is now; empty: nothing.
    [[nodiscard]] std::optional<std::string> find(const std::string& path,
                                                  const FileIdentity& identity) const;
    void put(const std::string& path, const FileIdentity& identity, const std::string& digest);

private:
    bool isOn_;
    CacheTable table_;
};

}  // namespace lowtide::files
