#pragma once

#include <QLabel>

namespace lowtide::ui {

/// A line of plain text that ends in an ellipsis where it does not fit; its tooltip is the whole
/// text then. It takes what room there is, down to a few letters.
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
    void tellRest();
};

}  // namespace lowtide::ui
