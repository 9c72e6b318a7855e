#pragma once

#include <QPointer>
#include <QProxyStyle>
#include <QWidget>

namespace lowtide::ui {

/// The look of all standard widgets, painted from the tokens of the theme in use: flat, with lines
/// of one pixel and a visible focus ring. A style sheet would need images for its arrows and
/// costs a new polish of every widget.
class StudioStyle : public QProxyStyle {
    Q_OBJECT

public:
    StudioStyle();

    void polish(QWidget* widget) override;
    using QProxyStyle::polish;

    void drawPrimitive(PrimitiveElement element,
                       const QStyleOption* option,
                       QPainter* painter,
                       const QWidget* widget) const override;
    void drawControl(ControlElement element,
                     const QStyleOption* option,
                     QPainter* painter,
                     const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control,
                            const QStyleOptionComplex* option,
                            QPainter* painter,
                            const QWidget* widget) const override;
    [[nodiscard]] QRect subControlRect(ComplexControl control,
                                       const QStyleOptionComplex* option,
                                       SubControl part,
                                       const QWidget* widget) const override;
    [[nodiscard]] QRect subElementRect(SubElement element,
                                       const QStyleOption* option,
                                       const QWidget* widget) const override;
    [[nodiscard]] QSize sizeFromContents(ContentsType type,
                                         const QStyleOption* option,
                                         const QSize& contents,
                                         const QWidget* widget) const override;
    [[nodiscard]] int pixelMetric(PixelMetric metric,
                                  const QStyleOption* option,
                                  const QWidget* widget) const override;
    [[nodiscard]] int styleHint(StyleHint hint,
                                const QStyleOption* option,
                                const QWidget* widget,
                                QStyleHintReturn* more) const override;
    [[nodiscard]] QIcon standardIcon(StandardPixmap which,
                                     const QStyleOption* option,
                                     const QWidget* widget) const override;
};

/// A ring around the area that is scrolled by keys while it has the focus: Qt paints none there.
/// One for the program; it lies in `home` while there is nothing to show.
class FocusRing : public QWidget {
    Q_OBJECT

public:
    explicit FocusRing(QWidget* home);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void follow(QWidget* focus);

    QPointer<QWidget> home_;
    QPointer<QWidget> area_;
};

}  // namespace lowtide::ui
