#include "ui/panels/inspector_help.hpp"

#include "ui/theme/theme.hpp"

#include <QFile>

namespace lowtide::ui {

namespace {

constexpr qint64 kMostBytes = 1 << 20;

/// What the description says, for a node without a page of its own.
QString described(const NodeDesc& desc) {
    QString page =
        QStringLiteral("# %1\n\n%2\n\n")
            .arg(QString::fromStdString(desc.label), QString::fromStdString(desc.tooltip));
    for (const ParamDesc& param : desc.params) {
        page +=
            QStringLiteral("- **%1**: %2\n")
                .arg(QString::fromStdString(param.label), QString::fromStdString(param.tooltip));
    }
    return page;
}

}  // namespace

InspectorHelp::InspectorHelp(QWidget* parent) : QTextBrowser(parent) {
    setObjectName(QStringLiteral("help"));
    setOpenLinks(false);
    setFrameShape(QFrame::NoFrame);
    document()->setDocumentMargin(Theme::space(3));
}

void InspectorHelp::setFolder(const QString& folder) {
    folder_ = folder;
}

void InspectorHelp::showNode(const NodeDesc& desc) {
    QFile file(folder_ + QLatin1Char('/') + QString::fromStdString(desc.id) +
               QStringLiteral(".md"));
    const bool isThere = file.open(QIODevice::ReadOnly);
    showText(isThere ? QString::fromUtf8(file.read(kMostBytes)) : described(desc));
}

void InspectorHelp::showText(const QString& markdown) {
    document()->setMarkdown(markdown, QTextDocument::MarkdownNoHTML);
}

}  // namespace lowtide::ui
