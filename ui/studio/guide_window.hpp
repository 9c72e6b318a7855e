#pragma once

#include <QDialog>
#include <QString>

#include <vector>

class QLabel;
class QLineEdit;
class QListWidget;
class QTextBlock;
class QToolButton;
class QUrl;

namespace lowtide::ui {

class HelpText;

/// The user's guide in the language of the program, and the pages that it links: contents, search,
/// and the way back.
class GuideWindow : public QDialog {
    Q_OBJECT

public:
    explicit GuideWindow(QWidget* parent);

    /// "guide", "memory": a page of docs that the program has.
    [[nodiscard]] const QString& page() const { return page_; }

    /// From the heading on, as links name it ("the-viewer"); empty, or unknown: from the beginning.
    void showPage(const QString& page, const QString& heading = {});

private:
    /// A page, and how far it was scrolled.
    struct Read {
        QString page;
        int scrolled = 0;
    };

    void connectParts();
    void fillContents();
    void follow(const QUrl& link);
    void goBack();
    void goTo(const QTextBlock& block);
    /// From the position of the cursor on, around the end.
    void find();
    [[nodiscard]] QTextBlock headingOf(const QString& name) const;

    HelpText* text_;
    QListWidget* contents_;
    QLineEdit* search_;
    QLabel* found_;
    QToolButton* back_;
    QString page_;
    std::vector<Read> before_;
};

/// The name by which links find a heading: "The first minute" is "the-first-minute".
[[nodiscard]] QString headingName(const QString& heading);

}  // namespace lowtide::ui
