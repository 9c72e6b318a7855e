#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace lowtide::nodes {

/// Refuses a prefix that leaves the output folder or that no file system takes.
/// Error{InvalidInput}, item "prefix".
void checkPrefix(const std::string& prefix);

/// `write`, whose error of a file or folder that cannot be written states where outputs go, too.
void writeOutputs(const std::function<void()>& write);

/// File names in a folder, "<folder>/<prefix>_00001.png", counting on from the highest number that
/// is there with any ending of an image or video. Other programs may take one meanwhile:
/// files::OutputFile::commitAsNew claims it.
class FileNames {
public:
    /// `ending`: ".png". Makes the folder. Error{InvalidInput} names the folder and the reason.
    FileNames(std::string folder, const std::string& prefix, std::string ending);
    [[nodiscard]] std::string next();

private:
    std::string stem_;
    std::string ending_;
    uint64_t number_ = 0;
};

}  // namespace lowtide::nodes
