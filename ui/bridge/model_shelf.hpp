#pragma once

#include "plugin/base/json.hpp"
#include "plugin/files/input_file.hpp"
#include "ui/bridge/background.hpp"
#include "ui/bridge/model_hashing.hpp"
#include "ui/bridge/model_scan.hpp"

#include <QImage>
#include <QObject>
#include <QString>

#include <map>
#include <memory>
#include <string>

namespace lowtide::ui {

/// What a person knows of models: notes, pictures that they chose, and hashes, each once computed.
/// Kept in a folder by path, which several studios may share; a file that was moved gets them back
/// when it is hashed. GUI thread only; files are read and written on others.
class ModelShelf : public QObject {
    Q_OBJECT

public:
    /// Longest side of a picture that is kept.
    static constexpr int kPicturePixels = 256;

    /// `folder` is made when it is first needed; empty: nothing is kept.
    explicit ModelShelf(const QString& folder, QObject* parent = nullptr);
    /// Stops hashing; what was changed is on the disk.
    ~ModelShelf() override;

    [[nodiscard]] QString noteOf(const FoundModel& model) const;
    void setNote(const FoundModel& model, const QString& text);

    /// The file of the picture that was chosen; empty: none.
    [[nodiscard]] QString pictureOf(const FoundModel& model) const;
    /// A small copy of it is kept.
    void setPicture(const FoundModel& model, const QImage& picture);

    /// SHA-256; empty: not known, or the file is another one by now.
    [[nodiscard]] std::string hashOf(const FoundModel& model) const;
    /// Computes it, behind others that are asked for. Folders have none.
    void hash(const FoundModel& model);
    void cancelHashing();
    /// Of one file, whoever asked for it.
    void cancelHashing(const std::string& path);

    /// SHA-256 of what lay at the path when it was last hashed, which may be gone; empty: none.
    [[nodiscard]] std::string lastHashAt(const std::string& path) const;

    /// The file that is read now; empty: none.
    [[nodiscard]] const std::string& hashing() const { return hashing_; }

    /// Waits until everything is on the disk.
    void finish();

Q_SIGNALS:
    /// Notes, pictures or hashes of a model are others.
    void changed(const std::string& path);
    /// `share` 0 to 1.
    void hashProgressed(const std::string& path, double share);
    /// With a problem: it could not be read. Without one it may have been cancelled.
    void hashEnded(const std::string& path, const QString& problem);
    void notKept(const QString& problem);

private:
    struct Entry {
        QString note;
        QString picture;  ///< name of a file in the folder
        std::string sha256;
        files::FileIdentity identity;  ///< that the file had when it was hashed

        [[nodiscard]] bool isEmpty() const;
    };

    using Entries = std::map<std::string, Entry>;  ///< by path

    void read();
    [[nodiscard]] static Json told(const Entries& entries);
    void write();
    [[nodiscard]] const Entry* find(const FoundModel& model) const;
    void hashNext();
    void takeHash(const FoundModel& model, const HashedModel& hashed);

    const QString folder_;
    Entries entries_;
    std::vector<FoundModel> waiting_;  ///< to be hashed
    std::string hashing_;
    StopSource stop_;
    bool isWriting_ = false;
    bool isChangedSince_ = false;  ///< since the text was made that is written now
    Json written_;                 ///< what the file said here last; of the writing thread
    Background writing_;
    Background reading_;
};

}  // namespace lowtide::ui
