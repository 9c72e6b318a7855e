#pragma once

#include <QLayout>
#include <QList>

namespace lowtide::ui {

/// A row that breaks into lines where it does not fit, as words do. Widgets and layouts that expand
/// share what a line has left; a line without one of them begins at its left, or ends at its right.
/// What is put into one layout stays together.
class FlowRow : public QLayout {
public:
    explicit FlowRow(QWidget* parent = nullptr);
    ~FlowRow() override;

    /// Lines end at the right.
    void setAtEnd(bool isAtEnd);
    /// Together, as one item: a QHBoxLayout with the same spacing.
    void addGroup(const QList<QWidget*>& widgets);
    void addLayout(QLayout* layout);

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
    void place(const Line& line, const QRect& room) const;

    QList<QLayoutItem*> items_;
    bool isAtEnd_ = false;
};

}  // namespace lowtide::ui
