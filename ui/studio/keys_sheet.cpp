#include "ui/studio/keys_sheet.hpp"

#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QMenuBar>

namespace lowtide::ui {

namespace {

constexpr int kIdRole = Qt::UserRole;

QString nativeText(const QList<QKeySequence>& keys) {
    return QKeySequence::listToString(keys, QKeySequence::NativeText)
        .replace(QStringLiteral("; "), KeysSheet::tr("  or  "));
}

/// The menu of the window that the key opens; empty: none.
QString menuOpenedBy(const QWidget* window, const QKeySequence& key) {
    const auto* bar = window ? window->findChild<QMenuBar*>() : nullptr;
    for (const QAction* menu : bar ? bar->actions() : QList<QAction*>()) {
        if (QKeySequence::mnemonic(menu->text()) == key) {
            return plainText(menu->text());
        }
    }
    return {};
}

}  // namespace

KeysSheet::KeysSheet(Actions& actions, QWidget* parent)
    : QDialog(parent),
      actions_(actions),
      search_(makeSearch(tr("Search for an action or a key"), "search", this)),
      list_(named("list", new QTreeWidget(this))),
      key_(named("key", new QKeySequenceEdit(this))),
      reset_(new QPushButton(tr("Back to the default"), this)),
      note_(makeText({}, "note", this)) {
    setObjectName(QStringLiteral("keysSheet"));
    setWindowTitle(tr("Keys"));
    resize(Theme::space(160), Theme::space(150));
    list_->setAccessibleName(windowTitle());
    list_->setHeaderLabels({tr("Action"), tr("Keys")});
    list_->setUniformRowHeights(true);
    list_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    list_->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    auto* label = new QLabel(tr("New key"), this);
    for (QWidget* each : {static_cast<QWidget*>(key_), key_->findChild<QWidget*>()}) {
        each->setAccessibleName(label->text());  // what takes the keys is a field within
    }
    QBoxLayout* edit = rowOf(2, {label, {key_, 1}, reset_});
    columnIn(this, 3, {4, 4, 4, 4}, {search_, {list_, 1}, edit, note_, buttons});
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(search_, &QLineEdit::textChanged, this, &KeysSheet::filter);
    connect(list_, &QTreeWidget::currentItemChanged, this, &KeysSheet::showChosen);
    connect(
        key_, &QKeySequenceEdit::editingFinished, this, [this] { change(key_->keySequence()); });
    connect(reset_, &QPushButton::clicked, this, &KeysSheet::reset);
    fill();
    showChosen();
}

void KeysSheet::fill() {
    QTreeWidgetItem* menu = nullptr;
    for (const ActionDesc& desc : actionTable()) {
        const QString path = menuTitles(desc.menu);
        if (!menu || menu->text(0) != path) {
            menu = new QTreeWidgetItem(list_, {path});
            menu->setFlags(Qt::ItemIsEnabled);
            menu->setFont(0, Theme::current().font("strong"));
        }
        const QAction& action = actions_.at(desc.id);
        auto* item = new QTreeWidgetItem(menu, {plainText(action), nativeText(action.shortcuts())});
        item->setToolTip(0, action.statusTip());
        item->setData(0, kIdRole, QString::fromLatin1(desc.id));
    }
    list_->expandAll();
}

void KeysSheet::filter(const QString& words) {
    for (int at = 0; at < list_->topLevelItemCount(); ++at) {
        QTreeWidgetItem* menu = list_->topLevelItem(at);
        bool hasShown = false;
        for (int row = 0; row < menu->childCount(); ++row) {
            QTreeWidgetItem* item = menu->child(row);
            const bool fits = item->text(0).contains(words, Qt::CaseInsensitive) ||
                              item->text(1).contains(words, Qt::CaseInsensitive);
            item->setHidden(!fits);
            hasShown = hasShown || fits;
        }
        menu->setHidden(!hasShown);
    }
}

std::string KeysSheet::chosen() const {
    const QTreeWidgetItem* item = list_->currentItem();
    return item ? item->data(0, kIdRole).toString().toStdString() : std::string();
}

void KeysSheet::showChosen() {
    const std::string id = chosen();
    key_->setEnabled(!id.empty());
    reset_->setEnabled(!id.empty() && actions_.at(id).shortcuts() != actions_.defaultKeys(id));
    key_->setKeySequence(id.empty() ? QKeySequence() : actions_.at(id).shortcut());
    note_->setText(id.empty() ? tr("Choose an action to change its key.")
                              : actions_.at(id).statusTip());
}

void KeysSheet::change(const QKeySequence& pressed) {
    const std::string id = chosen();
    const QList<QKeySequence> keys =
        pressed.isEmpty() ? QList<QKeySequence>() : QList{QKeySequence(pressed[0])};
    if (id.empty() || actions_.at(id).shortcut() == (keys.isEmpty() ? QKeySequence() : keys[0])) {
        return;
    }
    if (const std::string other = actions_.usedBy(keys, id); !other.empty()) {
        showChosen();
        note_->setText(tr("%1 is the key of “%2”. Give that one another key first.")
                           .arg(keys.front().toString(QKeySequence::NativeText),
                                plainText(actions_.at(other))));
        return;
    }
    if (const QString menu = keys.isEmpty() ? QString() : menuOpenedBy(parentWidget(), keys[0]);
        !menu.isEmpty()) {
        showChosen();
        note_->setText(tr("%1 opens the menu “%2”. Choose another key.")
                           .arg(keys.front().toString(QKeySequence::NativeText), menu));
        return;
    }
    actions_.setKeys(id, keys);
    list_->currentItem()->setText(1, nativeText(keys));
    showChosen();
}

void KeysSheet::reset() {
    const std::string id = chosen();
    const QList<QKeySequence> keys = actions_.defaultKeys(id);
    if (const std::string other = actions_.usedBy(keys, id); !other.empty()) {
        note_->setText(tr("A default key is now that of “%1”. Give that one another key first.")
                           .arg(plainText(actions_.at(other))));
        return;
    }
    actions_.setKeys(id, keys);
    list_->currentItem()->setText(1, nativeText(keys));
    showChosen();
}

}  // namespace lowtide::ui
