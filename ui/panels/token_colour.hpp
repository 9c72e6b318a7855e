#pragma once

class QWidget;

namespace lowtide::ui {

/// Gives the widget's text a colour of the theme, also of one that is chosen later.
void setTextColour(QWidget& widget, const char* token);

}  // namespace lowtide::ui
