#include "ui/studio/document_tabs.hpp"

#include "ui/theme/figures.hpp"

#include <QDir>
#include <QMouseEvent>
#include <QSignalBlocker>

#include <algorithm>

namespace lowtide::ui {

DocumentTabs::DocumentTabs(DocumentFile& file, GraphModel& model, QWidget* parent)
    : QTabBar(parent), file_(file), model_(model) {
    setObjectName(QStringLiteral("documents"));
    setAccessibleName(tr("Open graphs"));
    setDocumentMode(true);
    setExpanding(false);
    setElideMode(Qt::ElideMiddle);
    setMovable(true);
    setTabsClosable(true);
    connect(&file_, &DocumentFile::listChanged, this, &DocumentTabs::fill);
    connect(&file_, &DocumentFile::moved, this, &DocumentTabs::fill);
    connect(&model_, &GraphModel::savedChanged, this, &DocumentTabs::fill);
    connect(this, &QTabBar::currentChanged, this, [this](int tab) {
        if (tab >= 0) {
            file_.show(shown_.at(static_cast<size_t>(tab)));
        }
    });
    connect(this, &QTabBar::tabMoved, this, [this](int from, int to) {
        file_.move(shown_.at(static_cast<size_t>(from)), to);
    });
    connect(this, &QTabBar::tabCloseRequested, this, &DocumentTabs::askToClose);
    fill();
}

/// Tabs that are there are kept: one of them may be under the mouse.
void DocumentTabs::fill() {
    const QSignalBlocker blocker(this);
    shown_ = file_.documents();
    const int count = static_cast<int>(shown_.size());
    while (this->count() > count) {
        removeTab(this->count() - 1);
    }
    while (this->count() < count) {
        addTab(QString());
    }
    for (int tab = 0; tab < count; ++tab) {
        showName(tab, shown_[static_cast<size_t>(tab)]);
    }
    setCurrentIndex(static_cast<int>(std::ranges::find(shown_, model_.shown()) - shown_.begin()));
}

void DocumentTabs::showName(int tab, DocumentId id) {
    const QString& name = file_.name(id);
    const bool isSaved = model_.undoStack(id).isClean();
    const QString text = menuText(isSaved ? name : tr("%1 •").arg(name));
    if (tabText(tab) != text) {  // tabs are laid out again, also while one is moved
        setTabText(tab, text);
    }
    setAccessibleTabName(tab, isSaved ? name : tr("%1, not saved").arg(name));
    const QString path = QDir::toNativeSeparators(file_.path(id));
    setTabToolTip(tab, path.isEmpty() ? tr("%1, without a file").arg(name) : path);
}

void DocumentTabs::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() == Qt::MiddleButton) {
        askToClose(tabAt(event->position().toPoint()));
        return;
    }
    QTabBar::mouseReleaseEvent(event);
}

void DocumentTabs::askToClose(int tab) {
    if (tab >= 0) {
        Q_EMIT closeAsked(shown_.at(static_cast<size_t>(tab)));
    }
}

}  // namespace lowtide::ui
