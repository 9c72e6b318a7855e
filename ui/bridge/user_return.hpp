#pragma once

#include <QGuiApplication>
#include <QObject>

#include <utility>

namespace lowtide::ui {

/// Does `act` each time the user comes back to the program, while `context` lives: files may be
/// others then.
template <class Act>
void whenUserReturns(QObject* context, Act act) {
    QObject::connect(qGuiApp,
                     &QGuiApplication::applicationStateChanged,
                     context,
                     [act = std::move(act)](Qt::ApplicationState state) {
                         if (state == Qt::ApplicationActive) {
                             act();
                         }
                     });
}

}  // namespace lowtide::ui
