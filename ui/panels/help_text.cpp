#include "ui/panels/help_text.hpp"

#include "ui/theme/theme.hpp"

#include <QRegularExpression>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextList>

namespace lowtide::ui {

HelpText::HelpText(QWidget* parent) : QTextBrowser(parent) {
    setOpenLinks(false);
    setFrameShape(QFrame::NoFrame);
    document()->setDocumentMargin(Theme::space(3));
}

/// Between letters that have no spaces a line's end is none either.
void HelpText::showText(const QString& markdown) {
    if (markdown == shown_) {
        return;
    }
    static const QRegularExpression kLineEnd(
        QStringLiteral("(?<=[\\x{2e80}-\\x{ffef}]) *\\n *(?=[\\x{2e80}-\\x{ffef}“])"));
    shown_ = markdown;
    document()->setMarkdown(QString(markdown).replace(kLineEnd, QString()),
                            QTextDocument::MarkdownNoHTML);
    spaceBlocks();
    moveCursor(QTextCursor::Start);
}

/// Qt derives the space from a size in points, which our fonts do not state.
void HelpText::spaceBlocks() {
    QTextCursor cursor(document());
    for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
        QTextBlockFormat format = block.blockFormat();
        const bool isCode = format.hasProperty(QTextFormat::BlockCodeFence);
        const bool isHeading = format.headingLevel() > 0;
        format.setTopMargin(isHeading && block.blockNumber() > 0 ? Theme::space(4) : 0);
        format.setBottomMargin(isCode ? 0 : block.textList() ? Theme::space(1) : Theme::space(2));
        cursor.setPosition(block.position());
        cursor.setBlockFormat(format);
    }
}

}  // namespace lowtide::ui
