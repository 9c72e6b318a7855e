#pragma once

#include <QProxyStyle>

namespace lowtide::ui {

/// The look of all standard widgets, painted from the tokens of the theme in use: flat, with lines
/// of one pixel and a visible focus ring. A style sheet would need pictures for its arrows and
/// costs a new polish of every widget.
class StudioStyle : public QProxyStyle {
    Q_OBJECT

public:
    StudioStyle();
};

}  // namespace lowtide::ui
