#include "ui/panels/inspector_help.hpp"

#include "ui/language/language.hpp"
#include "ui/theme/theme.hpp"

#include <QFile>
#include <QRegularExpression>

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
    const QString page = QString::fromStdString(desc.id) + QStringLiteral(".md");
    QFile file(QStringLiteral("%1/%2/%3").arg(folder_, Language::code(), page));
    if (!file.exists()) {
        file.setFileName(QStringLiteral("%1/%2").arg(folder_, page));
    }
    const bool isThere = file.open(QIODevice::ReadOnly);
    showText(isThere ? QString::fromUtf8(file.read(kMostBytes)) : described(desc));
}

/// Between letters that have no spaces a line's end is none either.
void InspectorHelp::showText(const QString& markdown) {
    static const QRegularExpression kLineEnd(
        QStringLiteral("(?<=[\\x{2e80}-\\x{ffef}]) *\\n *(?=[\\x{2e80}-\\x{ffef}“])"));
    document()->setMarkdown(QString(markdown).replace(kLineEnd, QString()),
                            QTextDocument::MarkdownNoHTML);
}

}  // namespace lowtide::ui
