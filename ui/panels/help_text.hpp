#pragma once

#include <QString>
#include <QTextBrowser>

namespace lowtide::ui {

/// A page in Markdown: space between its paragraphs, and its beginning in view. Opens no link by
/// itself.
class HelpText : public QTextBrowser {
    Q_OBJECT

public:
    explicit HelpText(QWidget* parent = nullptr);

    /// The same page once more remains where it was read.
    void showText(const QString& markdown);

private:
    void spaceBlocks();

    QString shown_;
};

}  // namespace lowtide::ui
