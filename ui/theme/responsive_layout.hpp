#pragma once

#include <QLabel>
#include <QLayout>
#include <QList>
#include <QScrollArea>
#include <QToolButton>

class QTextLayout;

namespace lowtide::ui {

/// A row that breaks into lines where it does not fit, as words do. Widgets and layouts that expand
/// share what a line has left; a line without one of them begins at its left, or ends at its right.
/// What is put into one layout is kept together.
class FlowRow : public QLayout {
public:
    explicit FlowRow(QWidget* parent = nullptr);
    ~FlowRow() override;

    /// Lines end at the right.
    void setAtEnd(bool isAtEnd);
    /// Together, as one item: a QHBoxLayout with the same spacing.
    void addGroup(const QList<QWidget*>& widgets);
    void addLayout(QLayout* layout);
    /// Width in which all of it fits one line, with what expands as narrow as it may be.
    [[nodiscard]] int lineWidth() const;

    void addItem(QLayoutItem* item) override;
    [[nodiscard]] int count() const override;
    [[nodiscard]] QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    [[nodiscard]] Qt::Orientations expandingDirections() const override;
    [[nodiscard]] bool hasHeightForWidth() const override;
    [[nodiscard]] int heightForWidth(int width) const override;
    /// Of one line.
    [[nodiscard]] QSize sizeHint() const override;
    /// As wide as the widest item.
    [[nodiscard]] QSize minimumSize() const override;
    void setGeometry(const QRect& rect) override;

private:
    struct Line {
        QList<QLayoutItem*> items;
        int width = 0;
        int height = 0;
    };

    [[nodiscard]] QList<Line> linesIn(int width) const;
    void layOutLine(const Line& line, const QRect& area) const;

    QList<QLayoutItem*> items_;
    bool isAtEnd_ = false;
};

/// Shows the texts of tool buttons next to their icons where all of their row fits one line with
/// them, else the icons alone. Only the width of the row decides.
class LabelsThatFit : public QObject {
    Q_OBJECT

public:
    /// The row is the layout of `bar`, which takes this over.
    LabelsThatFit(QWidget& bar, const FlowRow& row, const QList<QToolButton*>& buttons);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fit(int width);

    const FlowRow& row_;
    QList<QToolButton*> buttons_;
};

/// What is hidden keeps its space, so that nothing next to it moves when it is shown.
void keepSpace(QWidget& widget);

/// A part of a window that scrolls where its area is too small, and fills its area otherwise.
/// Unlike a plain scroll area it asks for the size of its content, and gives wrapped texts the
/// least height that they need in its width.
class ScrolledPart : public QScrollArea {
    Q_OBJECT

public:
    /// Takes the content over.
    explicit ScrolledPart(QWidget* content, QWidget* parent = nullptr);

    /// Pixels below which it is never made smaller; at first as wide as the content needs, and so
    /// low that a few rows are seen.
    void setLeast(const QSize& size);

    [[nodiscard]] QWidget* content() const { return content_; }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* content_;
    QSize least_;
};

/// Gives a window that has no size yet the one that its content asks for, as far as its screen has
/// space: what scrolls makes up for the rest.
void resizeToScreen(QWidget& window);

/// A text that breaks between words, and within a word where that is too wide: the name of a file
/// makes no panel wider.
class WrappedLabel : public QLabel {
public:
    explicit WrappedLabel(const QString& text, QWidget* parent = nullptr);

    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    /// Whether a word is wider than the label when that has so many pixels.
    [[nodiscard]] bool breaksWords(int width) const;
    /// Breaks the text into lines; returns their height.
    int layOut(QTextLayout& layout, int width) const;
};

/// A line of plain text that ends in an ellipsis where it does not fit; its tooltip is the whole
/// text then. It takes what space there is, down to a few letters.
class ElidedLabel : public QLabel {
public:
    explicit ElidedLabel(QWidget* parent = nullptr);

    void setText(const QString& text);

    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void emitRest();
};

}  // namespace lowtide::ui
