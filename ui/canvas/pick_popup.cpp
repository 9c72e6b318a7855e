#include "ui/canvas/pick_popup.hpp"

#include "ui/access/announce.hpp"
#include "ui/canvas/look.hpp"
#include "ui/document/edits.hpp"
#include "ui/document/node_title.hpp"
#include "ui/theme/theme.hpp"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStandardItem>
#include <QStandardItemModel>
#include <QStringList>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace lowtide::ui {

namespace {

enum Role { kAsideRole = Qt::UserRole + 1, kWireTypeRole };

constexpr int kRowHeight = 28;
constexpr int kIndent = 28;

constexpr size_t kMostChoices = 60;

struct Candidate {
    WireChoice choice;
    bool isInto = false;  ///< an input of the node that asks
    double away = 0;
};

double distance(const QRectF& a, const QRectF& b) {
    const double x = std::max({0.0, a.left() - b.right(), b.left() - a.right()});
    const double y = std::max({0.0, a.top() - b.bottom(), b.top() - a.bottom()});
    return std::hypot(x, y);
}

class Choices {
public:
    Choices(const graph::Document& document,
            const graph::Catalog& catalog,
            const NodeRects& rects,
            const std::optional<OwnPort>& own)
        : document_(document), catalog_(catalog), rects_(rects), own_(own) {}

    /// Wires from outputs of the one node into inputs of the other.
    void add(const std::string& from, const std::string& to, bool isInto) {
        const NodeDesc* source = descOf(from);
        const NodeDesc* target = descOf(to);
        if (source == nullptr || target == nullptr) {
            return;
        }
        for (const PortDesc& output : source->outputs) {
            for (const PortDesc& input : target->inputs) {
                if (typesFit(output.type, input.type)) {
                    addPorts(from, output, to, input, isInto);
                }
            }
        }
    }

    std::vector<WireChoice> best(const QString& pattern) {
        std::stable_sort(found_.begin(), found_.end(), [](const auto& a, const auto& b) {
            return std::tuple(a.isInto, a.choice.isReplacing, a.away) <
                   std::tuple(b.isInto, b.choice.isReplacing, b.away);
        });
        const QStringList words = pattern.split(u' ', Qt::SkipEmptyParts);
        std::vector<WireChoice> choices;
        for (Candidate& candidate : found_) {
            WireChoice& choice = candidate.choice;
            const bool fits = std::all_of(words.begin(), words.end(), [&](const QString& word) {
                return choice.text.contains(word, Qt::CaseInsensitive);
            });
            if (fits && wireRefusal(document_, catalog_, choice.from, choice.to).empty()) {
                choices.push_back(std::move(choice));
            }
            if (choices.size() == kMostChoices) {
                break;
            }
        }
        return choices;
    }

private:
    [[nodiscard]] const NodeDesc* descOf(const std::string& id) const {
        const auto node = document_.nodes.find(id);
        return node == document_.nodes.end() ? nullptr : catalog_.find(node->second.type);
    }

    void addPorts(const std::string& from,
                  const PortDesc& output,
                  const std::string& to,
                  const PortDesc& input,
                  bool isInto) {
        const PortDesc& own = isInto ? input : output;
        if (own_ && (own_->isOutput == isInto || own_->port != own.id)) {
            return;
        }
        WireChoice choice{.from = {from, output.id}, .to = {to, input.id}, .type = output.type};
        const graph::Link* link = linkInto(document_, choice.to);
        if (link != nullptr && link->from == choice.from) {
            return;
        }
        choice.isReplacing = link != nullptr;
        const PortDesc& other = isInto ? output : input;
        choice.text = (isInto ? QCoreApplication::translate("WireChoices", "%1 ← %2: %3")
                              : QCoreApplication::translate("WireChoices", "%1 → %2: %3"))
                          .arg(QString::fromStdString(own.label),
                               nodeTitle(document_, catalog_, isInto ? from : to),
                               QString::fromStdString(other.label));
        found_.push_back({.choice = std::move(choice),
                          .isInto = isInto,
                          .away = distance(rects_.at(from), rects_.at(to))});
    }

    const graph::Document& document_;
    const graph::Catalog& catalog_;
    const NodeRects& rects_;
    const std::optional<OwnPort>& own_;
    std::vector<Candidate> found_;
};

constexpr int kPopupWidth = 360;
constexpr int kPopupHeight = 388;
constexpr int kDetailHeight = 44;
constexpr int kPage = 8;
constexpr int kRows = 10;      ///< that are seen at once
constexpr int kLeastRows = 4;  ///< that fit even if the list is shorter

constexpr size_t kRecentCount = 6;

}  // namespace

QStandardItem* SearchRow::item(const QString& text, const QString& aside, const std::string& type) {
    auto* item = new QStandardItem(text);
    item->setData(aside, kAsideRole);
    item->setData(QString::fromStdString(type), kWireTypeRole);
    return item;
}

QStandardItem* SearchRow::itemFor(const SearchHit& hit, const PortWanted& wanted) {
    const NodeDesc& desc = *hit.desc;
    const auto& ports = desc.outputs.empty() ? desc.inputs : desc.outputs;
    const PortDesc* port =
        wanted.asInput ? graph::findInput(desc, hit.port) : graph::findOutput(desc, hit.port);
    QStandardItem* made =
        item(QString::fromStdString(desc.label),
             port == nullptr ? QString::fromStdString(desc.category)
                             : tr("to %1").arg(QString::fromStdString(port->label)),
             port != nullptr ? port->type
             : ports.empty() ? "*"
                             : ports.front().type);
    made->setData(QString::fromStdString(desc.tooltip), Qt::AccessibleDescriptionRole);
    return made;
}

void SearchRow::paint(QPainter* painter,
                      const QStyleOptionViewItem& option,
                      const QModelIndex& index) const {
    const Theme& theme = Theme::current();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QRectF rect = option.rect;
    if (option.state.testFlag(QStyle::State_Selected)) {
        painter->setPen(Qt::NoPen);
        painter->setBrush(theme.colour("selection"));
        painter->drawRoundedRect(rect.adjusted(0, 1, 0, -1), 4, 4);
    }
    const std::string type = index.data(kWireTypeRole).toString().toStdString();
    painter->setPen(Qt::NoPen);
    painter->setBrush(theme.wireColour(type));
    painter->drawPath(portMark(theme.portShape(type), 4.5)
                          .translated(rect.left() + kIndent / 2.0, rect.center().y()));
    const QString aside = index.data(kAsideRole).toString();
    const QFont small = theme.font("small");
    const int asideWidth = QFontMetrics(small).horizontalAdvance(aside);
    painter->setFont(small);
    painter->setPen(theme.colour("text.muted"));
    painter->drawText(rect.adjusted(0, 0, -8, 0), Qt::AlignRight | Qt::AlignVCenter, aside);
    painter->setFont(theme.font("body"));
    painter->setPen(theme.colour("text"));
    const QRectF available = rect.adjusted(kIndent, 0, -16 - asideWidth, 0);
    painter->drawText(
        available,
        Qt::AlignLeft | Qt::AlignVCenter,
        QFontMetrics(theme.font("body"))
            .elidedText(
                index.data().toString(), Qt::ElideRight, static_cast<int>(available.width())));
    painter->restore();
}

QSize SearchRow::sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const {
    return {option.rect.width(), kRowHeight};
}

std::vector<WireChoice> wireChoices(const graph::Document& document,
                                    const graph::Catalog& catalog,
                                    const NodeRects& rects,
                                    const std::string& node,
                                    const QString& pattern,
                                    const std::optional<OwnPort>& own) {
    Choices choices(document, catalog, rects, own);
    if (rects.contains(node)) {
        for (const auto& [other, rect] : rects) {
            if (other != node) {
                choices.add(node, other, false);
                choices.add(other, node, true);
            }
        }
    }
    return choices.best(pattern);
}

PickPopup::PickPopup(const QString& name, const QString& placeholder, QWidget* parent)
    : QFrame(parent),
      pattern_(new QLineEdit(this)),
      list_(new QListView(this)),
      rows_(new QStandardItemModel(this)),
      detail_(new QLabel(this)) {
    setObjectName(name);
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    pattern_->setObjectName(name + QStringLiteral("Pattern"));
    pattern_->setPlaceholderText(placeholder);
    pattern_->setAccessibleName(placeholder);
    pattern_->addAction(Theme::current().icon("search", "text.muted"), QLineEdit::LeadingPosition);
    pattern_->installEventFilter(this);
    list_->setObjectName(name + QStringLiteral("List"));
    list_->setModel(rows_);
    list_->setItemDelegate(new SearchRow(list_));
    list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setMouseTracking(true);
    list_->setFrameShape(QFrame::NoFrame);
    detail_->setWordWrap(true);
    detail_->setFixedHeight(kDetailHeight);
    detail_->setFont(Theme::current().font("small"));
    detail_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(Theme::space(2), Theme::space(2), Theme::space(2), Theme::space(2));
    layout->setSpacing(Theme::space(2));
    layout->addWidget(pattern_);
    layout->addWidget(list_, 1);
    layout->addWidget(detail_);
    resize(kPopupWidth, kPopupHeight);
    hide();
    connect(pattern_, &QLineEdit::textChanged, this, &PickPopup::refresh);
    connect(list_, &QListView::clicked, this, &PickPopup::takeCurrent);
    connect(list_, &QListView::entered, list_, &QListView::setCurrentIndex);
    connect(list_->selectionModel(),
            &QItemSelectionModel::currentChanged,
            this,
            &PickPopup::showDetail);
}

void PickPopup::openAt(QPoint at) {
    pattern_->clear();
    refresh();
    moveWithin(at);
    show();
    raise();
    pattern_->setFocus(Qt::PopupFocusReason);
    showDetail();  // now it can be heard
}

void PickPopup::moveWithin(QPoint at) {
    const QSize available = parentWidget()->size();
    const int spare = std::max(0, kRows - std::max(kLeastRows, rows_->rowCount()));
    const int tall = kPopupHeight - spare * std::max(0, list_->sizeHintForRow(0));
    resize(std::min(kPopupWidth, available.width()), std::min(tall, available.height()));
    move(std::clamp(at.x(), 0, std::max(0, available.width() - width())),
         std::clamp(at.y(), 0, std::max(0, available.height() - height())));
}

void PickPopup::refresh() {
    rows_->clear();
    fill(*rows_, pattern_->text().trimmed());
    list_->setCurrentIndex(rows_->index(0, 0));
    showDetail();
}

void PickPopup::showDetail() {
    const QModelIndex current = list_->currentIndex();
    detail_->setText(detailOf(current.row()));
    if (isVisible()) {  // the line keeps the focus, so nobody else announces the row
        announce(*pattern_, current.isValid() ? current.data().toString() : detail_->text());
    }
    Q_EMIT currentChanged(current.row());
}

void PickPopup::moveCurrent(int steps) {
    const int count = rows_->rowCount();
    if (count > 0) {
        const int row = std::clamp(list_->currentIndex().row() + steps, 0, count - 1);
        list_->setCurrentIndex(rows_->index(row, 0));
    }
}

void PickPopup::takeCurrent() {
    if (const int row = list_->currentIndex().row(); row >= 0) {
        take(row);
        hide();
    }
}

bool PickPopup::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusOut && isVisible() && isActiveWindow()) {
        hide();
        return false;
    }
    if (event->type() != QEvent::KeyPress) {
        return QFrame::eventFilter(watched, event);
    }
    switch (static_cast<QKeyEvent*>(event)->key()) {
        case Qt::Key_Down:
        case Qt::Key_Tab:
            moveCurrent(1);
            return true;
        case Qt::Key_Up:
        case Qt::Key_Backtab:
            moveCurrent(-1);
            return true;
        case Qt::Key_PageDown:
            moveCurrent(kPage);
            return true;
        case Qt::Key_PageUp:
            moveCurrent(-kPage);
            return true;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            takeCurrent();
            return true;
        case Qt::Key_Escape:
            hide();
            return true;
        default:
            return QFrame::eventFilter(watched, event);
    }
}

void PickPopup::hideEvent(QHideEvent* event) {
    QFrame::hideEvent(event);
    Q_EMIT closed();
}

SearchPopup::SearchPopup(const graph::Catalog& catalog, QWidget* parent)
    : PickPopup(QStringLiteral("nodeSearch"), tr("Search nodes"), parent), catalog_(catalog) {}

void SearchPopup::openAt(QPoint at, const PortWanted& wanted) {
    wanted_ = wanted;
    PickPopup::openAt(at);
}

void SearchPopup::remember(const std::string& type) {
    std::erase(recent_, type);
    recent_.insert(recent_.begin(), type);
    recent_.resize(std::min(recent_.size(), kRecentCount));
}

void SearchPopup::fill(QStandardItemModel& rows, const QString& pattern) {
    hits_ = searchNodes(catalog_, pattern, wanted_, recent_);
    for (const SearchHit& hit : hits_) {
        rows.appendRow(SearchRow::itemFor(hit, wanted_));
    }
}

QString SearchPopup::detailOf(int row) const {
    if (row < 0) {
        return wanted_.type.empty() ? tr("No node has that in its name, category or help.")
                                    : tr("No such node accepts a wire of type %1.")
                                          .arg(QString::fromStdString(wanted_.type));
    }
    return QString::fromStdString(hits_.at(static_cast<size_t>(row)).desc->tooltip);
}

void SearchPopup::take(int row) {
    const SearchHit hit = hits_.at(static_cast<size_t>(row));
    remember(hit.desc->id);
    Q_EMIT chosen(hit.desc->id, hit.port);  // before closed(), which drops the wire that waits
}

WirePopup::WirePopup(const GraphScene& scene, QWidget* parent)
    : PickPopup(QStringLiteral("wireSearch"), tr("Search the other end"), parent), scene_(scene) {
    connect(this, &PickPopup::currentChanged, this, [this](int row) { current_ = row; });
}

void WirePopup::openAt(QPoint at, const std::string& node, const std::optional<OwnPort>& own) {
    node_ = node;
    own_ = own;
    PickPopup::openAt(at);
}

std::optional<WireChoice> WirePopup::current() const {
    if (!isVisible() || current_ < 0 || current_ >= static_cast<int>(choices_.size())) {
        return std::nullopt;
    }
    return choices_[static_cast<size_t>(current_)];
}

void WirePopup::fill(QStandardItemModel& rows, const QString& pattern) {
    const GraphModel& model = scene_.model();
    choices_ =
        wireChoices(model.document(), model.catalog(), scene_.nodeRects(), node_, pattern, own_);
    for (const WireChoice& choice : choices_) {
        rows.appendRow(SearchRow::item(
            choice.text, choice.isReplacing ? tr("replaces a wire") : QString(), choice.type));
    }
}

QString WirePopup::detailOf(int row) const {
    return row < 0 ? tr("No port of another node fits one of this node, or has that in its name.")
                   : tr("Enter connects; C again draws the next wire.");
}

void WirePopup::take(int row) {
    Q_EMIT chosen(choices_.at(static_cast<size_t>(row)));
}

}  // namespace lowtide::ui
