#pragma once
// Which programs use a folder: a file there for each, which is locked, or states its program where
// the folder has no locks.

#include "ui/programs/os.hpp"

#include <string>
#include <vector>

namespace lowtide::ui {

struct Sessions {
    std::vector<std::string> living;  ///< names
    bool hasDead = false;             ///< a program ended without removing its file
};

/// Of all programs that use the folder. Files of dead ones are removed. One of which nobody knows
/// whether it has ended counts as living.
[[nodiscard]] Sessions sessionsIn(const std::string& folder);

/// The file of one program.
class SessionFile {
public:
    /// `name` differs from those of all other programs.
    SessionFile(const std::string& folder, const std::string& name);
    ~SessionFile();
    SessionFile(const SessionFile&) = delete;
    SessionFile& operator=(const SessionFile&) = delete;

    /// The folder must be there. Nothing follows where it cannot be written.
    void make();

private:
    const std::string path_;
    os::FileLock lock_;
    bool isUnlocked_ = false;  ///< it is made where there are no locks
};

}  // namespace lowtide::ui
