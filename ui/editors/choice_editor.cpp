#include "ui/editors/choice_editor.hpp"

#include "ui/access/announce.hpp"
#include "ui/theme/theme.hpp"

#include <QAbstractItemView>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QScreen>
#include <QStandardItemModel>
#include <QVBoxLayout>
#include <QWheelEvent>

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr int kMostRows = 12;
constexpr int kRowHeight = 24;
constexpr int kLeastWidth = 220;

bool fits(const SearchItem& item, const QStringList& words) {
    const QString text = item.label + QLatin1Char(' ') + item.detail;
    return std::all_of(words.begin(), words.end(), [&](const QString& word) {
        return text.contains(word, Qt::CaseInsensitive);
    });
}

}  // namespace

SearchList::SearchList(std::vector<SearchItem> items, QWidget* parent)
    : QFrame(parent, Qt::Popup),
      items_(std::move(items)),
      search_(new QLineEdit(this)),
      list_(new QListWidget(this)) {
    setObjectName("searchList");
    setAttribute(Qt::WA_DeleteOnClose);
    setFrameShape(QFrame::StyledPanel);
    search_->setObjectName("search");
    search_->setPlaceholderText(tr("Search"));
    search_->setAccessibleName(search_->placeholderText());
    search_->addAction(Theme::current().icon("search", "text.muted"), QLineEdit::LeadingPosition);
    search_->installEventFilter(this);
    list_->setObjectName("list");
    list_->setFrameShape(QFrame::NoFrame);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setTextElideMode(Qt::ElideMiddle);
    list_->setFocusPolicy(Qt::NoFocus);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Theme::space(1), Theme::space(1), Theme::space(1), Theme::space(1));
    column->setSpacing(Theme::space(1));
    column->addWidget(search_);
    column->addWidget(list_);
    for (size_t i = 0; i < items_.size(); ++i) {
        const SearchItem& item = items_[i];
        const QString text =
            item.detail.isEmpty() ? item.label : tr("%1 – %2").arg(item.label, item.detail);
        auto* row = new QListWidgetItem(text, list_);
        row->setToolTip(item.tooltip.isEmpty() ? text : item.tooltip);
        if (!item.isEnabled) {
            row->setFlags(row->flags() & ~Qt::ItemIsEnabled);
        }
    }
    // The keyboard remains in the field, so the list is not announced by itself.
    connect(list_, &QListWidget::currentItemChanged, search_, [this](const QListWidgetItem* row) {
        announce(*search_, row != nullptr ? row->text() : tr("Nothing matches"));
    });
    connect(search_, &QLineEdit::textEdited, this, &SearchList::filter);
    connect(list_, &QListWidget::itemClicked, this, [this](QListWidgetItem* item) {
        chooseRow(list_->row(item));
    });
}

void SearchList::openAt(const QWidget& anchor, int current) {
    const int rows = std::clamp(list_->count(), 1, kMostRows);
    const int height = search_->sizeHint().height() + rows * kRowHeight + Theme::space(5);
    resize(std::max(anchor.width(), kLeastWidth), height);
    QPoint at = anchor.mapToGlobal(QPoint(0, anchor.height()));
    if (const QScreen* screen = anchor.screen()) {
        const QRect area = screen->availableGeometry();
        if (at.y() + height > area.bottom()) {
            at.setY(anchor.mapToGlobal(QPoint()).y() - height);
        }
        at.setX(std::clamp(at.x(), area.left(), std::max(area.left(), area.right() - width())));
        at.setY(std::max(at.y(), area.top()));
    }
    move(at);
    list_->setCurrentRow(current);
    show();
    list_->scrollToItem(list_->currentItem(), QAbstractItemView::PositionAtCenter);
    search_->setFocus(Qt::PopupFocusReason);
}

void SearchList::filter(const QString& text) {
    const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    int first = -1;
    for (int row = 0; row < list_->count(); ++row) {
        const SearchItem& item = items_[static_cast<size_t>(row)];
        const bool isShown = fits(item, words);
        list_->item(row)->setHidden(!isShown);
        if (isShown && first < 0 && item.isEnabled) {
            first = row;
        }
    }
    list_->setCurrentRow(first);
}

void SearchList::chooseRow(int row) {
    if (row < 0 || !items_[static_cast<size_t>(row)].isEnabled) {
        return;
    }
    close();
    Q_EMIT chosen(row);
}

bool SearchList::eventFilter(QObject* watched, QEvent* event) {
    if (watched != search_ || event->type() != QEvent::KeyPress) {
        return QFrame::eventFilter(watched, event);
    }
    auto* key = static_cast<QKeyEvent*>(event);
    switch (key->key()) {
        case Qt::Key_Up:
        case Qt::Key_Down:
        case Qt::Key_PageUp:
        case Qt::Key_PageDown:
            QCoreApplication::sendEvent(list_, key);
            return true;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            chooseRow(list_->currentRow());
            return true;
        default:
            return QFrame::eventFilter(watched, event);
    }
}

ChoiceBox::ChoiceBox(QWidget* parent) : QComboBox(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(6);
}

void ChoiceBox::showItem(const QVariant& id, const QString& textOtherwise) {
    const int index = findData(id);
    setPlaceholderText(index < 0 ? textOtherwise : QString());
    setCurrentIndex(index);
}

void ChoiceBox::setRefusal(int index, const QString& reason) {
    auto* rows = qobject_cast<QStandardItemModel*>(model());
    if (QStandardItem* item = rows ? rows->item(index) : nullptr) {
        item->setEnabled(reason.isEmpty());
        if (!reason.isEmpty()) {
            item->setToolTip(reason);
        }
    }
}

std::vector<SearchItem> ChoiceBox::items() const {
    std::vector<SearchItem> items;
    for (int i = 0; i < count(); ++i) {
        const bool isEnabled = model()->flags(model()->index(i, 0)) & Qt::ItemIsEnabled;
        items.push_back(
            {itemText(i), QString(), isEnabled, itemData(i, Qt::ToolTipRole).toString()});
    }
    return items;
}

void ChoiceBox::showPopup() {
    if (count() < kSearchableFrom) {
        view()->setMinimumWidth(view()->sizeHintForColumn(0) +  // as wide as its texts are
                                2 * view()->frameWidth());
        return QComboBox::showPopup();
    }
    auto* list = new SearchList(items(), this);
    connect(list, &SearchList::chosen, this, [this](int index) {
        setCurrentIndex(index);
        Q_EMIT activated(index);
    });
    list->openAt(*this, currentIndex());
}

void ChoiceBox::wheelEvent(QWheelEvent* event) {
    if (hasFocus()) {
        QComboBox::wheelEvent(event);
    } else {
        event->ignore();
    }
}

ChoiceEditor::ChoiceEditor(const ParamDesc& param, QWidget* parent)
    : ValueEditor(param, parent), box_(new ChoiceBox(this)) {
    box_->setObjectName("choices");
    box_->setAccessibleName(accessibleName());
    for (const ChoiceDesc& choice : param.choices) {
        box_->addItem(QString::fromStdString(choice.label), QString::fromStdString(choice.id));
    }
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(box_);
    setFocusProxy(box_);
    connect(box_, &QComboBox::activated, this, [this](int index) {
        box_->setPlaceholderText(QString());
        propose(box_->itemData(index).toString().toStdString(), true);
        Q_EMIT dismissed();
    });
}

void ChoiceEditor::showValue() {
    const Json value = this->value();
    const QString text = value.is_null() ? QStringLiteral("null") : plainText(value);
    box_->showItem(text, text);
}

void ChoiceEditor::begin() {
    box_->setFocus(Qt::OtherFocusReason);
    box_->showPopup();
}

}  // namespace lowtide::ui
