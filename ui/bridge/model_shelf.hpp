#pragma once

#include "plugin/base/json.hpp"
#include "plugin/files/input_file.hpp"
#include "ui/bridge/background.hpp"
#include "ui/bridge/model_scan.hpp"

#include <QImage>
#include <QObject>
#include <QString>

#include <map>
#include <memory>
#include <string>

namespace lowtide::ui {

/// What a person knows of models: notes, pictures that they chose, and hashes, each once computed.
/// Kept in a folder by path; a file that was moved gets them back when it is hashed. GUI thread
/// only; files are read and written on others.
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

    void read();
    [[nodiscard]] std::string text() const;
    void write();
    [[nodiscard]] const Entry* find(const FoundModel& model) const;
    void hashNext();
    void takeHash(const FoundModel& model, const std::string& sha256, const QString& problem);

    const QString folder_;
    std::map<std::string, Entry> entries_;  ///< by path
    std::vector<FoundModel> waiting_;       ///< to be hashed
    std::string hashing_;
    StopSource stop_;
    int newest_ = 0;  ///< of the writings that were asked for
    Background writing_;
    Background reading_;
};

}  // namespace lowtide::ui
