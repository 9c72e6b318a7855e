#pragma once
// Which studios use a folder: a file there for each, which is locked, or states its program where
// the folder has no locks.

#include "ui/document/os.hpp"

#include <QString>
#include <QStringList>

namespace lowtide::ui {

struct Sessions {
    QStringList living;    ///< names
    bool hasDead = false;  ///< a studio ended without removing its file
};

/// Of all studios that use the folder. Files of dead ones are removed. One of which nobody knows
/// whether it has ended counts as living.
[[nodiscard]] Sessions sessionsIn(const QString& folder);

/// The file of one studio.
class SessionFile {
public:
    /// `name` differs from those of all other studios.
    SessionFile(const QString& folder, const QString& name);
    ~SessionFile();
    SessionFile(const SessionFile&) = delete;
    SessionFile& operator=(const SessionFile&) = delete;

    /// The folder must be there. Nothing follows where it cannot be written.
    void make();

private:
    const QString path_;
    os::FileLock lock_;
    bool isUnlocked_ = false;  ///< it is made where there are no locks
};

}  // namespace lowtide::ui
