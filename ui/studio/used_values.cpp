#include "ui/studio/used_values.hpp"

#include "plugin/base/error.hpp"
#include "ui/language/language.hpp"
#include "ui/language/module_texts.hpp"

#include <QCoreApplication>
#include <QFileInfo>
#include <QStringList>

#include <vector>

namespace lowtide::ui {

namespace {

class UsedWords {
    Q_DECLARE_TR_FUNCTIONS(UsedValues)
};

struct UsedTexts {
    QString step;
    QString taken;  ///< a sentence
};

UsedTexts usedTexts(ImageUse use) {
    switch (use) {
        case ImageUse::Prompt:
            return {UsedWords::tr("Use the prompt of “%1”"),
                    UsedWords::tr("The graph has the prompt of “%1” now.")};
        case ImageUse::Seed:
            return {UsedWords::tr("Use the seed of “%1”"),
                    UsedWords::tr("The graph has the seed of “%1” now, and keeps it.")};
        case ImageUse::Size:
            return {UsedWords::tr("Use the size of “%1”"),
                    UsedWords::tr("The graph has the size of “%1” now.")};
        case ImageUse::All:
            break;
    }
    return {UsedWords::tr("Use all values of “%1”"),
            UsedWords::tr("The graph has the values of “%1” now.")};
}

/// Each name once.
QStringList labelsOf(const std::vector<ImageValue>& values) {
    QStringList labels;
    for (const ImageValue& value : values) {
        labels << QString::fromStdString(value.param->label);
    }
    labels.removeDuplicates();
    return labels;
}

QString usedSentence(const UsedValues& used, ImageUse use, const QString& name) {
    const QString left = listed(labelsOf(used.left));
    if (used.taken > 0) {
        const QString taken = usedTexts(use).taken.arg(name);
        return left.isEmpty() ? taken : UsedWords::tr("%1 Not taken: %2.").arg(taken, left);
    }
    return left.isEmpty()
               ? UsedWords::tr("The graph of “%1” has no such value.").arg(name)
               : UsedWords::tr("Nothing of “%1” was taken: no node of the open graph takes %2.")
                     .arg(name, left);
}

}  // namespace

void useImageValues(MainWindowWidgets& widgets, const MadeImage& image, ImageUse use) {
    GraphModel& model = widgets.workspace.model;
    UsedValues used;
    try {
        const graph::Document made = graph::parseDocument(image.graph);
        const std::vector<ImageValue> values =
            valuesBehind(made, model.catalog(), QFileInfo(image.file).fileName().toStdString());
        model.apply(usedTexts(use).step.arg(image.name), [&](graph::Document& document) {
            used = useValues(document, model.catalog(), values, use);
        });
    } catch (const Error& error) {
        widgets.notices.show(NoticeKind::Warning,
                             UsedWords::tr("The graph of “%1” cannot be read: %2")
                                 .arg(image.name, errorText(error)));
        return;
    }
    widgets.notices.showOfDocument(used.taken > 0 ? NoticeKind::Info : NoticeKind::Warning,
                                   usedSentence(used, use, image.name));
}

}  // namespace lowtide::ui
