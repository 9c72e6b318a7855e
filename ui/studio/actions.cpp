#include "ui/studio/actions.hpp"

#include "plugin/base/error.hpp"
#include "ui/canvas/graph_view.hpp"
#include "ui/canvas/view_menu.hpp"
#include "ui/canvas/viewport.hpp"
#include "ui/editors/edit_session.hpp"
#include "ui/language/language.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QAccessible>
#include <QCoreApplication>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>
#include <QStringList>

#include <array>

namespace lowtide::ui {

namespace {

QString translated(const char* text) {
    return QCoreApplication::translate("Actions", text);
}

QString tooltipOf(const ActionDesc& desc, const QList<QKeySequence>& keys) {
    const QString tip = translated(desc.tip);
    return keys.isEmpty() ? tip
                          : QStringLiteral("%1 (%2)").arg(
                                tip, keys.front().toString(QKeySequence::NativeText));
}

QList<QKeySequence> defaultKeysOf(const ActionDesc& desc) {
    return keysFromText(QString::fromLatin1(desc.keys));
}

/// What assistive technology knows of an entry is tied to the menu that showed it first, and menus
/// go with the language that they speak.
void forgetEntry(QAction& action) {
    if (QAccessibleInterface* known = QAccessible::queryAccessibleInterface(&action)) {
        QAccessible::deleteAccessibleInterface(QAccessible::uniqueId(known));
    }
}

/// Keys that mean something else in a field or a list are pressed on the canvas itself.
void giveKeys(const Actions& actions, GraphView& view) {
    for (const CanvasCommand& command : canvasCommands()) {
        view.setKeys(command.id, actions.at(command.id).shortcuts());
    }
}

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
    QMenu* menu = named(word, parent.addMenu(titleOf(word)));
    menu->setToolTipsVisible(true);
    return menu;
}

}  // namespace

Actions::Actions(QObject* parent) : QObject(parent) {
    for (const ActionDesc& desc : actionTable()) {
        auto* action = new QAction(translated(desc.text), this);
        action->setIconText(plainText(action->text()));
        action->setObjectName(QString::fromLatin1(desc.id));
        action->setCheckable(desc.checkable);
        action->setStatusTip(translated(desc.tip));
        // A key or a button of the tool bar leaves the focus in the field that is typed into.
        connect(action, &QAction::triggered, this, [] { EditSession::commit(); });
        action->setShortcutContext(desc.scope == ActionScope::Window ? Qt::WindowShortcut
                                                                     : Qt::WidgetShortcut);
        const Entry entry{desc, action};
        entries_.emplace(desc.id, entry);
        applyKeys(entry, defaultKeysOf(desc));
        if (desc.icon[0] != '\0') {
            action->setIcon(Theme::current().icon(desc.icon));
            action->setIconVisibleInMenu(false);
        }
    }
}

void Actions::retranslate() {
    for (const auto& [id, entry] : entries_) {
        forgetEntry(*entry.action);
        entry.action->setText(translated(entry.desc.text));
        entry.action->setIconText(plainText(entry.action->text()));
        entry.action->setStatusTip(translated(entry.desc.tip));
        entry.action->setToolTip(tooltipOf(entry.desc, entry.action->shortcuts()));
    }
}

QAction& Actions::at(const std::string& id) const {
    const auto found = entries_.find(id);
    LOWTIDE_ASSERT(found != entries_.end());
    return *found->second.action;
}

QList<QKeySequence> Actions::defaultKeys(const std::string& id) const {
    return defaultKeysOf(entries_.at(id).desc);
}

void Actions::applyKeys(const Entry& entry, const QList<QKeySequence>& keys) {
    entry.action->setShortcuts(keys);
    entry.action->setToolTip(tooltipOf(entry.desc, keys));
}

void Actions::setKeys(const std::string& id, const QList<QKeySequence>& keys) {
    const Entry& entry = entries_.at(id);
    if (entry.action->shortcuts() != keys) {
        applyKeys(entry, keys);
        Q_EMIT keysChanged();
    }
}

std::string Actions::usedBy(const QList<QKeySequence>& keys, const std::string& except) const {
    for (const auto& [id, entry] : entries_) {
        for (const QKeySequence& key : entry.action->shortcuts()) {
            if (id != except && keys.contains(key)) {
                return id;
            }
        }
    }
    return {};
}

std::map<QString, QString> Actions::changedKeys() const {
    std::map<QString, QString> changed;
    for (const auto& [id, entry] : entries_) {
        if (entry.action->shortcuts() != defaultKeys(id)) {
            changed[QString::fromStdString(id)] = toText(entry.action->shortcuts());
        }
    }
    return changed;
}

void Actions::setChangedKeys(const std::map<QString, QString>& keys) {
    for (const auto& [id, entry] : entries_) {
        const auto found = keys.find(QString::fromStdString(id));
        applyKeys(entry, found == keys.end() ? defaultKeys(id) : keysFromText(found->second));
    }
    Q_EMIT keysChanged();
}

QString toText(const QList<QKeySequence>& keys) {
    QStringList texts;
    for (const QKeySequence& key : keys) {
        texts.append(key.toString(QKeySequence::PortableText));
    }
    return texts.join(QLatin1Char(' '));
}

QString plainText(const QAction& action) {
    return plainText(action.text());
}

QString plainText(QString text) {
    static const QRegularExpression kBehind(QStringLiteral("\\(&\\w\\)"));
    text.remove(kBehind);
    text.remove(QLatin1Char('&'));
    while (text.endsWith(QLatin1Char('.'))) {
        text.chop(1);
    }
    return text;
}

void connectCanvas(const Actions& actions, GraphView& view) {
    for (const CanvasCommand& command : canvasCommands()) {
        QObject::connect(&actions.at(command.id), &QAction::triggered, &view, [&view, &command] {
            view.invoke(command.id);
        });
    }
    giveKeys(actions, view);
    QObject::connect(
        &actions, &Actions::keysChanged, &view, [&actions, &view] { giveKeys(actions, view); });
    actions.at("view.snap").setChecked(true);
    QAction& bypass = actions.at("node.bypass");
    const auto offerBypass = [&bypass, &view] { bypass.setEnabled(view.canBypassSelected()); };
    offerBypass();
    QObject::connect(&view, &GraphView::selectionChanged, &bypass, offerBypass);
    for (const QObject* object : bypass.associatedObjects()) {
        if (const auto* menu = qobject_cast<const QMenu*>(object)) {
            previewBypass(*menu, bypass, view);
        }
    }
    QAction& minimap = actions.at("view.minimap");
    Minimap& map = view.navigation().minimap();
    QObject::connect(&minimap, &QAction::triggered, &map, &Minimap::ask);
    QObject::connect(&map, &Minimap::shownChanged, &minimap, &QAction::setChecked);
    QObject::connect(&actions.at("view.snap"), &QAction::toggled, &view, &GraphView::setSnapping);
}

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
