#include "ui/panels/offered_models.hpp"

#include "ui/language/language.hpp"
#include "ui/language/module_texts.hpp"
#include "ui/theme/figures.hpp"

#include <QCoreApplication>
#include <QDir>
#include <QStringList>

#include <optional>

namespace lowtide::ui {

namespace {

class ModelWords {
    Q_DECLARE_TR_FUNCTIONS(Models)
};

QString detailOf(const ModelLibrary& library, const FoundModel& model) {
    if (!model.file.problem.empty()) {
        return ModelWords::tr("cannot be read");
    }
    QStringList parts;
    if (!model.file.family.empty()) {
        parts.push_back(QString::fromStdString(model.file.family));
    }
    parts.push_back(bytesText(model.file.weights));
    if (const QString verdict = verdictText(library.verdictOf(model)); !verdict.isEmpty()) {
        parts.push_back(verdict);
    }
    if (!model.file.needs.empty()) {
        parts.push_back(ModelWords::tr("runs with %1").arg(moduleSentence(model.file.needs)));
    }
    if (!model.file.isRunnable) {
        parts.push_back(ModelWords::tr("not run by this version"));
    }
    return listed(parts);
}

}  // namespace

std::vector<OfferedFile> OfferedModels::filesFor(const std::string& nodeType,
                                                 const std::string& param) const {
    std::vector<OfferedFile> offered;
    const std::optional<ModelKind> kind = kindFor({nodeType, param});
    if (!kind) {
        return offered;
    }
    if (*kind == ModelKind::Checkpoint) {
        offered.push_back({.value = QStringLiteral("builtin:mini"),
                           .label = ModelWords::tr("Mini"),
                           .detail = ModelWords::tr("comes with Lowtide, 128 x 128 pixels")});
    }
    for (const FoundModel& model : library_.models()) {
        if (model.file.kind == *kind) {
            offered.push_back({.value = QString::fromStdString(model.value),
                               .label = QString::fromStdString(model.relative),
                               .detail = detailOf(library_, model)});
        }
    }
    return offered;
}

bool OfferedModels::isOfProgram(const QString& path) const {
    return !programFolder_.isEmpty() &&
           QDir::cleanPath(path).startsWith(QDir::cleanPath(programFolder_) + QLatin1Char('/'));
}

QString verdictText(ModelVerdict verdict) {
    switch (verdict) {
        case ModelVerdict::Fits:
            return ModelWords::tr("fits");
        case ModelVerdict::Streams:
            return ModelWords::tr("streams");
        case ModelVerdict::TooBig:
            return ModelWords::tr("too big");
        case ModelVerdict::Unknown:
            break;
    }
    return {};
}

QString verdictRule() {
    return ModelWords::tr(
        "A first look at the file alone: a quarter of the budget is left for images. Fits: the "
        "rest holds all weights at once. Streams: it holds four of the largest tensor, and the "
        "others come when they are used. The plan of a graph is more exact.");
}

}  // namespace lowtide::ui
