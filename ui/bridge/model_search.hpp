#pragma once

#include "ui/bridge/model_shelf.hpp"

#include <QObject>
#include <QString>
#include <QStringList>

#include <set>
#include <string>
#include <vector>

namespace lowtide::ui {

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
    void tellProgress(double share);
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
