#include "ui/panels/facts_list.hpp"

#include "ui/panels/setting_facts.hpp"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>

namespace lowtide::ui {

namespace {

constexpr int kShortValue = 120;

/// Values of one line; the whole text is the tooltip's and the clipboard's.
QString oneLine(const QString& value) {
    const QString line = value.simplified();
    return line.size() <= kShortValue ? line : line.left(kShortValue) + QStringLiteral(" ...");
}

}  // namespace

FactsList::FactsList(QWidget* parent) : QTreeWidget(parent) {
    setObjectName(QStringLiteral("facts"));
    setHeaderLabels({tr("What"), tr("Value")});
    setRootIsDecorated(false);
    setUniformRowHeights(true);
    setFrameShape(QFrame::NoFrame);
    header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    setContextMenuPolicy(Qt::ActionsContextMenu);
    auto* copied = new QAction(tr("Copy"), this);
    copied->setShortcut(QKeySequence::Copy);
    copied->setShortcutContext(Qt::WidgetShortcut);
    connect(copied, &QAction::triggered, this, &FactsList::copy);
    addAction(copied);
}

void FactsList::add(const PictureFact& fact) {
    auto* item = new QTreeWidgetItem(this, {fact.name, oneLine(fact.value)});
    item->setData(1, Qt::UserRole, fact.value);
    item->setToolTip(1, fact.value.left(2000));
}

/// What a person set stands before what the file says of itself.
void FactsList::setPicture(const LoadedPicture& picture) {
    clear();
    for (const PictureFact& fact : settingFactsOf(picture, catalog_)) {
        add(fact);
    }
    for (const PictureFact& fact : factsOf(picture)) {
        add(fact);
    }
    setVisible(topLevelItemCount() > 0);
}

void FactsList::copy() const {
    QStringList lines;
    for (const QTreeWidgetItem* item : selectedItems()) {
        lines.push_back(item->data(1, Qt::UserRole).toString());
    }
    QGuiApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

}  // namespace lowtide::ui
