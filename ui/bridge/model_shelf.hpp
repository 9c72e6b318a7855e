#pragma once

#include "plugin/base/message.hpp"
#include "plugin/base/stop_token.hpp"
#include "plugin/files/input_file.hpp"
#include "ui/bridge/background.hpp"
#include "ui/bridge/json_store.hpp"
#include "ui/bridge/model_library.hpp"

#include <QImage>
#include <QObject>
#include <QString>
#include <QStringList>

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace lowtide::ui {

/// What a file hashed to.
struct HashedModel {
    std::string sha256;              ///< 64 hexadecimal digits; empty: see `problem`
    Message problem;                 ///< why not; empty where it was cancelled
    files::FileIdentity identity{};  ///< of the file that was read
};

/// SHA-256 of a whole file, as sha256sum prints it. `progress` gets the share that is done, 0 to 1,
/// at most a hundred times. Any thread; takes seconds for gigabytes.
[[nodiscard]] HashedModel hashModel(const std::string& path,
                                    const StopToken& stop,
                                    const std::function<void(double)>& progress);

/// The first ten digits, by which web sites and A1111 name a model (AutoV2).
[[nodiscard]] std::string autoV2(const std::string& sha256);

/// What a user knows of models: notes, images that they chose, and hashes, each once computed.
/// Kept in a folder by path, which several studios may share; a file that was moved gets them back
/// when it is hashed. GUI thread only; files are read and written on others.
class ModelShelf : public QObject {
    Q_OBJECT

public:
    /// Longest side of an image that is kept.
    static constexpr int kImagePixels = 256;

    /// `folder` is made when it is first needed; empty: nothing is kept.
    explicit ModelShelf(const QString& folder, QObject* parent = nullptr);
    /// Stops hashing; what was changed is on the disk.
    ~ModelShelf() override;

    [[nodiscard]] QString noteOf(const FoundModel& model) const;
    void setNote(const FoundModel& model, const QString& text);

    /// The file of the image that was chosen; empty: none.
    [[nodiscard]] QString imageOf(const FoundModel& model) const;
    /// A small copy of it is kept.
    void setImage(const FoundModel& model, const QImage& image);

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

    /// That notKept() spoke of; empty: everything is written.
    [[nodiscard]] const QString& problem() const {
        return notesProblem_.isEmpty() ? imageProblem_ : notesProblem_;
    }

    /// Waits until everything is on the disk.
    void finish();

Q_SIGNALS:
    /// Notes, images or hashes of a model are others.
    void changed(const std::string& path);
    /// `fraction` 0 to 1.
    void hashProgressed(const std::string& path, double fraction);
    /// With a problem: it could not be read. Without one it may have been cancelled.
    void hashEnded(const std::string& path, const QString& problem);
    void notKept(const QString& problem);
    /// All that notKept() spoke of is written by now.
    void keptAgain();

private:
    void read();
    [[nodiscard]] Json asJson() const;
    void write();
    /// `part`: notesProblem_ or imageProblem_; empty: it was written.
    void setProblem(QString& part, const QString& reason);
    [[nodiscard]] const Json& factsOf(const std::string& path) const;
    void hashNext();
    void takeHash(const FoundModel& model, const HashedModel& hashed);

    const QString folder_;
    Json models_ = Json::object();     ///< facts by path, as the file has them
    std::vector<FoundModel> waiting_;  ///< to be hashed
    std::string hashing_;
    StopSource stop_;
    QString notesProblem_;
    QString imageProblem_;
    JsonStore store_;
    Background reading_;
};

/// What a search for a model by its hash came to.
struct SearchedModel {
    FoundModel model{};        ///< without a path: none has the hash
    bool isCancelled = false;  ///< before all were read
    int unreadable = 0;        ///< files that could not be read, or changed meanwhile
    QStringList problems{};    ///< of these, the first few

    [[nodiscard]] bool isFound() const { return !model.file.path.empty(); }
};

/// Those of these kinds that the shelf knows no hash of, the smallest first.
[[nodiscard]] std::vector<FoundModel> modelsWithoutHash(const std::vector<FoundModel>& models,
                                                        const ModelShelf& shelf,
                                                        const std::set<ModelKind>& kinds);

/// Looks for the model whose SHA-256 begins with some digits, by hashing one after the other on the
/// shelf's thread; the shelf keeps every hash. GUI thread only.
class ModelSearch : public QObject {
    Q_OBJECT

public:
    /// `shelf` must outlive it.
    explicit ModelSearch(ModelShelf& shelf, QObject* parent = nullptr);
    /// Cancels.
    ~ModelSearch() override;

    /// Only where it is not at work. Ends with the first that has the hash.
    void begin(const std::string& digits, std::vector<FoundModel> models);
    void cancel();

    [[nodiscard]] bool isAtWork() const { return isAtWork_; }

    static constexpr int kMostProblems = 5;

Q_SIGNALS:
    /// Bytes of all models, and the file that is read.
    void progressed(const QString& name, qint64 done, qint64 total);
    void ended(const lowtide::ui::SearchedModel& found);

private:
    void readNext();
    void reportProgress(double fraction);
    void take(const std::string& path, const QString& problem);
    [[nodiscard]] bool hasHash(const FoundModel& model) const;
    void end();

    ModelShelf& shelf_;
    std::string digits_;
    std::vector<FoundModel> models_;
    size_t at_ = 0;
    Bytes done_ = 0;
    Bytes total_ = 0;
    bool isAtWork_ = false;
    SearchedModel found_;
};

}  // namespace lowtide::ui
