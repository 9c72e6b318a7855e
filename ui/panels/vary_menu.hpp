#pragma once

#include <QPoint>
#include <QWidget>

#include <functional>

namespace lowtide::ui {

/// The menu "varyMenu" of something that a sheet can vary; `act`: whether from row to row.
void showVaryMenu(QWidget& widget,
                  const QPoint& place,
                  const std::function<void(bool areRows)>& act);

}  // namespace lowtide::ui
