#include "ui/programs/sessions.hpp"

#include "plugin/base/error.hpp"
#include "plugin/base/json.hpp"
#include "ui/programs/program_record.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

namespace lowtide::ui {

namespace {

constexpr std::string_view kSuffix = ".lock";
constexpr size_t kLongest = 4096;

os::Life lifeIn(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text(kLongest, '\0');
    file.read(text.data(), static_cast<std::streamsize>(kLongest));
    text.resize(static_cast<size_t>(file.gcount()));
    try {
        return os::lifeOf(programFrom(parseJson(text, "session"), "session"));
    } catch (const Error&) {  // of an older version, half written, or not to be read
        return os::Life::Unknown;
    }
}

bool hasEnded(const std::string& path) {
    os::FileLock lock;
    switch (lock.tryLock(path)) {
        case os::LockState::Held:
            return true;
        case os::LockState::Taken:
            return false;
        case os::LockState::Unavailable:
            break;
    }
    return lifeIn(path) == os::Life::Ended;
}

void removeFile(const std::string& path) {
    std::error_code isGone;
    std::filesystem::remove(path, isGone);
}

/// Files of sessions in a folder, without their folder, in alphabetical order.
std::vector<std::string> sessionFilesIn(const std::string& folder) {
    std::vector<std::string> names;
    std::error_code end;
    for (std::filesystem::directory_iterator entry(folder, end), last; !end && entry != last;
         entry.increment(end)) {
        std::string name = entry->path().filename().string();
        std::error_code unknown;
        if (name.ends_with(kSuffix) && !name.starts_with('.') && entry->exists(unknown)) {
            names.push_back(std::move(name));
        }
    }
    std::ranges::sort(names);
    return names;
}

}  // namespace

Sessions sessionsIn(const std::string& folder) {
    Sessions sessions;
    for (const std::string& file : sessionFilesIn(folder)) {
        const std::string path = (std::filesystem::path(folder) / file).string();
        if (hasEnded(path)) {
            sessions.hasDead = true;
            removeFile(path);
        } else {
            sessions.living.push_back(file.substr(0, file.size() - kSuffix.size()));
        }
    }
    return sessions;
}

SessionFile::SessionFile(const std::string& folder, const std::string& name)
    : path_((std::filesystem::path(folder) / (name + std::string(kSuffix))).string()) {}

SessionFile::~SessionFile() {
    if (isUnlocked_) {
        removeFile(path_);
    }
}

void SessionFile::make() {
    const std::string text = toJson(os::thisProgram()).dump() + "\n";
    const os::LockState state = lock_.tryLock(path_);
    if (state == os::LockState::Held) {
        lock_.write(text);
    } else if (state == os::LockState::Unavailable) {
        std::ofstream file(path_, std::ios::binary | std::ios::trunc);
        isUnlocked_ = file.is_open();
        file << text;
    }
}

}  // namespace lowtide::ui
