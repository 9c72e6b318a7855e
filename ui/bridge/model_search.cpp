#include "ui/bridge/model_search.hpp"

#include <algorithm>
#include <utility>

namespace lowtide::ui {

std::vector<FoundModel> modelsWithoutHash(const std::vector<FoundModel>& models,
                                          const ModelShelf& shelf,
                                          const std::set<ModelKind>& kinds) {
    std::vector<FoundModel> unread;
    for (const FoundModel& model : models) {
        if (kinds.contains(model.file.kind) && model.identity.size > 0 &&
            shelf.hashOf(model).empty()) {
            unread.push_back(model);
        }
    }
    std::stable_sort(unread.begin(), unread.end(), [](const auto& a, const auto& b) {
        return a.identity.size < b.identity.size;
    });
    return unread;
}

ModelSearch::ModelSearch(ModelShelf& shelf, QObject* parent) : QObject(parent), shelf_(shelf) {
    connect(
        &shelf_, &ModelShelf::hashProgressed, this, [this](const std::string& path, double share) {
            if (isAtWork_ && path == models_[at_].file.path) {
                tellProgress(share);
            }
        });
    connect(&shelf_, &ModelShelf::hashEnded, this, &ModelSearch::take);
}

ModelSearch::~ModelSearch() {
    disconnect(&shelf_, nullptr, this, nullptr);
    cancel();
}

void ModelSearch::begin(const std::string& digits, std::vector<FoundModel> models) {
    digits_ = digits;
    models_ = std::move(models);
    at_ = 0;
    done_ = 0;
    total_ = 0;
    for (const FoundModel& model : models_) {
        total_ += model.identity.size;
    }
    found_ = SearchedModel();
    isAtWork_ = true;
    readNext();
}

void ModelSearch::cancel() {
    if (isAtWork_) {
        found_.isCancelled = true;
        shelf_.cancelHashing(std::string(models_[at_].file.path));
    }
}

void ModelSearch::readNext() {
    while (at_ < models_.size() && !shelf_.hashOf(models_[at_]).empty()) {
        if (hasHash(models_[at_])) {
            found_.model = models_[at_];
            break;
        }
        done_ += models_[at_++].identity.size;  // somebody else asked for its hash
    }
    if (found_.isFound() || at_ == models_.size()) {
        end();
        return;
    }
    tellProgress(0);
    shelf_.hash(models_[at_]);
}

void ModelSearch::tellProgress(double share) {
    const FoundModel& model = models_[at_];
    const auto part = static_cast<Bytes>(share * static_cast<double>(model.identity.size));
    Q_EMIT progressed(QString::fromStdString(model.file.name), done_ + part, total_);
}

void ModelSearch::take(const std::string& path, const QString& problem) {
    if (!isAtWork_ || path != models_[at_].file.path) {
        return;
    }
    const FoundModel& model = models_[at_];
    const bool isKnown = !shelf_.hashOf(model).empty();
    if (isKnown && hasHash(model)) {
        found_.isCancelled = false;
        found_.model = model;
    } else if (!problem.isEmpty()) {
        ++found_.unreadable;
        if (found_.problems.size() < kMostProblems) {
            found_.problems.push_back(problem);
        }
    } else {
        found_.isCancelled = found_.isCancelled || !isKnown;
    }
    if (found_.isFound() || found_.isCancelled) {
        end();
        return;
    }
    done_ += model.identity.size;
    ++at_;
    readNext();
}

bool ModelSearch::hasHash(const FoundModel& model) const {
    return shelf_.hashOf(model).starts_with(digits_);
}

void ModelSearch::end() {
    isAtWork_ = false;
    models_.clear();
    Q_EMIT ended(std::exchange(found_, SearchedModel()));
}

}  // namespace lowtide::ui
