#include "ui/studio/actions.hpp"

#include "plugin/base/error.hpp"
#include "ui/editors/edit_session.hpp"
#include "ui/theme/theme.hpp"

#include <QAccessible>
#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>

#include <string_view>

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
    const char* keys = desc.keys;
    for (const CanvasCommand& command : canvasCommands()) {
        if (std::string_view(command.id) == desc.id) {
            LOWTIDE_ASSERT(keys == kCanvasSays);  // one place of keys
            keys = command.keys;
        }
    }
    return keysFromText(QString::fromLatin1(keys));
}

/// What assistive technology knows of an entry is tied to the menu that showed it first, and menus
/// go with the language that they speak.
void forgetEntry(QAction& action) {
    if (QAccessibleInterface* known = QAccessible::queryAccessibleInterface(&action)) {
        QAccessible::deleteAccessibleInterface(QAccessible::uniqueId(known));
    }
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

}  // namespace lowtide::ui
