#pragma once

#include "plugin/base/json.hpp"

#include <QRegularExpression>
#include <QString>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::ui {

/// Takes out of texts what reveals who a user is and how their disk is laid out, for reports that
/// others read: paths of every kind lose their folders, and names of the machine and of the user
/// become "<host>" and "<user>". When in doubt it takes too much. Any thread.
class Redactor {
public:
    /// What is known to be private, and what takes its place; case does not matter, and what has
    /// only one letter is left alone.
    struct Known {
        std::vector<std::pair<QString, QString>> wholeTexts;  ///< anywhere
        std::vector<std::pair<QString, QString>> words;  ///< without letters or digits around them
        /// A folder: whatever lies in it is a path, also where names have spaces.
        void addFolder(const QString& path);
    };

    explicit Redactor(Known known);

    [[nodiscard]] QString scrubbed(const QString& text) const;
    /// Of every key and text in it.
    [[nodiscard]] Json scrubbed(const Json& json) const;

private:
    struct Replacement {
        QRegularExpression what;
        QString with;
    };

    [[nodiscard]] Json scrubbed(const Json& json, std::map<std::string, std::string>& done) const;

    std::vector<Replacement> texts_;
    std::vector<Replacement> words_;
};

/// What stands for a path: its file name where it is one of weights, else "file-1a2b3c4d.png" with
/// a hash of the name; folders become "<path>". "/data/ann/models/xl.safetensors" becomes
/// "<path>/xl.safetensors".
[[nodiscard]] QString redactedPath(const QString& path);

/// Names of this machine and of the user who is logged in, and their home folder.
[[nodiscard]] Redactor::Known knownOfThisMachine();

}  // namespace lowtide::ui
