#include "ui/studio/menus.hpp"

#include "ui/language/language.hpp"

#include <QCoreApplication>
#include <QMenu>
#include <QMenuBar>
#include <QStringList>

#include <array>

namespace lowtide::ui {

namespace {

/// Titles with their access keys; paths in the table are the words without them.
constexpr std::array<const char*, 15> kTitles = {QT_TRANSLATE_NOOP("Menus", "&File"),
                                                 QT_TRANSLATE_NOOP("Menus", "&Edit"),
                                                 QT_TRANSLATE_NOOP("Menus", "&Node"),
                                                 QT_TRANSLATE_NOOP("Menus", "Pro&mpt"),
                                                 QT_TRANSLATE_NOOP("Menus", "&Run"),
                                                 QT_TRANSLATE_NOOP("Menus", "&View"),
                                                 QT_TRANSLATE_NOOP("Menus", "&Help"),
                                                 QT_TRANSLATE_NOOP("Menus", "A&lign"),
                                                 QT_TRANSLATE_NOOP("Menus", "Di&stribute"),
                                                 QT_TRANSLATE_NOOP("Menus", "Appearan&ce"),
                                                 QT_TRANSLATE_NOOP("Menus", "&Panels"),
                                                 QT_TRANSLATE_NOOP("Menus", "Go to &bookmark"),
                                                 QT_TRANSLATE_NOOP("Menus", "&Keep as bookmark"),
                                                 QT_TRANSLATE_NOOP("Menus", "Lang&uage"),
                                                 QT_TRANSLATE_NOOP("Menus", "Canvas")};

QString titleOf(const QString& word) {
    for (const char* title : kTitles) {
        if (QString::fromLatin1(title).remove(QLatin1Char('&')) == word) {
            return QCoreApplication::translate("Menus", title);
        }
    }
    return word;
}

template <class Parent>
QMenu* childOf(Parent& parent, const QString& word) {
    for (QAction* action : parent.actions()) {
        if (action->menu() && action->menu()->objectName() == word) {
            return action->menu();
        }
    }
    QMenu* menu = parent.addMenu(titleOf(word));
    menu->setObjectName(word);
    menu->setToolTipsVisible(true);
    return menu;
}

}  // namespace

QMenu* menuAt(QMenuBar& bar, const QString& path) {
    const QStringList words = path.split(QLatin1Char('/'));
    QMenu* menu = childOf(bar, words.front());
    for (qsizetype at = 1; at < words.size(); ++at) {
        menu = childOf(*menu, words.at(at));
    }
    return menu;
}

QString menuTitles(const char* path) {
    QStringList titles;
    for (const QString& word : QString::fromLatin1(path).split(QLatin1Char('/'))) {
        titles << plainText(titleOf(word));
    }
    return listed(titles, ": ");
}

void fillMenus(QMenuBar& bar, const Actions& actions) {
    for (const ActionDesc& desc : actionTable()) {
        if (desc.scope == ActionScope::Key) {
            continue;
        }
        QMenu* menu = menuAt(bar, QString::fromLatin1(desc.menu));
        if (desc.separated) {
            menu->addSeparator();
        }
        menu->addAction(&actions.at(desc.id));
    }
}

}  // namespace lowtide::ui
