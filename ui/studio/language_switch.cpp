#include "ui/studio/language_switch.hpp"

#include "ui/studio/actions.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QActionGroup>
#include <QApplication>
#include <QLocale>
#include <QMenu>
#include <QToolButton>

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr const char* kPrefix = "language.";

/// Of the rows "language.*".
QString choiceOf(const ActionDesc& desc) {
    const QString id = QString::fromLatin1(desc.id);
    return id.startsWith(QLatin1String(kPrefix)) ? id.mid(static_cast<int>(qstrlen(kPrefix)))
                                                 : QString();
}

/// What this build does not speak is no choice.
bool isOffered(const QString& choice) {
    const std::vector<LanguageName> spoken = languages();
    return choice == QLatin1String("system") ||
           std::ranges::any_of(spoken,
                               [&](const LanguageName& each) { return each.code == choice; });
}

}  // namespace

LanguageSwitch::LanguageSwitch(Settings& settings, QObject* parent)
    : QObject(parent), settings_(settings) {
    language_.use(settings_.preferences().language);
    // Queued: the menu that was clicked is built again, too.
    connect(&settings_, &Settings::changed, this, &LanguageSwitch::take, Qt::QueuedConnection);
}

void LanguageSwitch::take() {
    const QString& choice = settings_.preferences().language;
    const QString code = languageFor(choice, QLocale::system().uiLanguages());
    if (code == Language::code()) {
        return;
    }
    if (const QWidget* dialog = QApplication::activeModalWidget()) {
        connect(dialog, &QObject::destroyed, this, &LanguageSwitch::take, Qt::QueuedConnection);
        return;
    }
    if (!Language::isPrepared(code)) {
        reading_.run([this, code] {
            Language::prepare(code);
            return [this] { take(); };
        });
        return;
    }
    language_.use(choice);
    Q_EMIT changed();
}

void LanguageSwitch::connectActions(Actions& actions) {
    auto* group = new QActionGroup(this);
    for (const ActionDesc& desc : actionTable()) {
        const QString choice = choiceOf(desc);
        if (choice.isEmpty()) {
            continue;
        }
        QAction* action = &actions.at(desc.id);
        group->addAction(action);
        action->setVisible(isOffered(choice));
        const auto show = [this, action, choice] {
            action->setChecked(settings_.preferences().language == choice);
        };
        show();
        connect(&settings_, &Settings::changed, action, show);
        connect(action, &QAction::triggered, this, [this, choice] {
            settings_.change([&](Preferences& preferences) { preferences.language = choice; });
        });
    }
}

QToolButton* LanguageSwitch::makeButton(const Actions& actions, QWidget* parent) {
    auto* button = named("language", new QToolButton(parent));
    button->setIcon(Theme::current().icon("language"));
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setPopupMode(QToolButton::InstantPopup);
    button->setFocusPolicy(Qt::TabFocus);
    button->setAutoRaise(true);
    button->setToolTip(tr("Language of the program"));
    auto* menu = new QMenu(button);
    for (const ActionDesc& desc : actionTable()) {
        if (!choiceOf(desc).isEmpty()) {
            menu->addAction(&actions.at(desc.id));
        }
    }
    button->setMenu(menu);
    for (const LanguageName& each : languages()) {
        if (each.code == Language::code()) {
            button->setText(each.name);
        }
    }
    return button;
}

}  // namespace lowtide::ui
