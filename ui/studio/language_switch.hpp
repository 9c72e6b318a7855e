#pragma once

#include "ui/bridge/background.hpp"
#include "ui/bridge/settings.hpp"
#include "ui/language/language.hpp"

#include <QObject>

class QToolButton;

namespace lowtide::ui {

class Actions;

/// Which language the window speaks, and when it may begin to speak another: never below an open
/// dialog, which would lose its window.
class LanguageSwitch : public QObject {
    Q_OBJECT

public:
    /// Speaks the language of the settings, from now on; they must outlive it.
    explicit LanguageSwitch(Settings& settings, QObject* parent = nullptr);

    /// The actions "language.*" choose it and show what is chosen.
    void connectActions(Actions& actions);
    /// A button that names the language and opens a list of all, two clicks from everywhere.
    [[nodiscard]] static QToolButton* makeButton(const Actions& actions, QWidget* parent);

Q_SIGNALS:
    /// The program speaks another language; what is shown has to be built again.
    void changed();

private:
    void take();

    Settings& settings_;
    Language language_;
    Background reading_;
};

}  // namespace lowtide::ui
