#include "ui/canvas/pick_popup.hpp"

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
#include <QStyledItemDelegate>

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
        std::vector<WireChoice> choices;
        for (Candidate& candidate : found_) {
            WireChoice& choice = candidate.choice;
            if (hasWords(choice.text, pattern) &&
                wireRefusal(document_, catalog_, choice.from, choice.to).empty()) {
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
        return ui::descOf(document_, catalog_, id);
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
constexpr int kRows = 10;      ///< that are seen at once
constexpr int kLeastRows = 4;  ///< that fit even if the list is shorter

constexpr size_t kRecentCount = 6;

/// A row with the mark of a wire type; `aside` stands at its right end. The list owns it.
QStandardItem* searchRow(const QString& text, const QString& aside, const std::string& type) {
    auto* item = new QStandardItem(text);
    item->setData(aside, kAsideRole);
    item->setData(QString::fromStdString(type), kWireTypeRole);
    return item;
}

QStandardItem* searchRow(const SearchHit& hit, const PortWanted& wanted) {
    const NodeDesc& desc = *hit.desc;
    const auto& ports = desc.outputs.empty() ? desc.inputs : desc.outputs;
    const PortDesc* port =
        wanted.asInput ? graph::findInput(desc, hit.port) : graph::findOutput(desc, hit.port);
    QStandardItem* made = searchRow(
        QString::fromStdString(desc.label),
        port == nullptr ? QString::fromStdString(desc.category)
                        : SearchPopup::tr("to %1").arg(QString::fromStdString(port->label)),
        port != nullptr ? port->type
        : ports.empty() ? "*"
                        : ports.front().type);
    made->setData(QString::fromStdString(desc.tooltip), Qt::AccessibleDescriptionRole);
    return made;
}

/// A line of a list over the canvas: the mark of a wire type, a name, and a description.
class SearchRows : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
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

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option,
                                 const QModelIndex&) const override {
        return {option.rect.width(), kRowHeight};
    }
};

}  // namespace

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
    : Picker(
          placeholder,
          Theme::space(2),
          [this](QStandardItemModel& rows, const QString& pattern) { fill(rows, pattern); },
          parent),
      detail_(new QLabel(this)) {
    setObjectName(name);
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    field().setObjectName(name + QStringLiteral("Pattern"));
    field().addAction(Theme::current().icon("search", "text.muted"), QLineEdit::LeadingPosition);
    list().setObjectName(name + QStringLiteral("List"));
    list().setItemDelegate(new SearchRows(&list()));
    list().setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list().setFocusPolicy(Qt::NoFocus);
    list().setMouseTracking(true);
    list().setFrameShape(QFrame::NoFrame);
    detail_->setWordWrap(true);
    detail_->setFixedHeight(kDetailHeight);
    detail_->setFont(Theme::current().font("small"));
    detail_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    layout()->addWidget(detail_);
    resize(kPopupWidth, kPopupHeight);
    hide();
    connect(&list(), &QListView::entered, &list(), &QListView::setCurrentIndex);
    connect(this, &Picker::currentChanged, this, &PickPopup::showDetail);
    connect(this, &Picker::taken, this, [this](int row) {
        take(row);
        hide();
    });
}

void PickPopup::openAt(QPoint at) {
    field().clear();
    refresh();
    moveWithin(at);
    show();
    raise();
    field().setFocus(Qt::PopupFocusReason);
    showDetail(list().currentIndex().row());  // now it can be heard
}

void PickPopup::moveWithin(QPoint at) {
    const QSize available = parentWidget()->size();
    const int spare = std::max(0, kRows - std::max(kLeastRows, rows().rowCount()));
    const int tall = kPopupHeight - spare * std::max(0, list().sizeHintForRow(0));
    resize(std::min(kPopupWidth, available.width()), std::min(tall, available.height()));
    move(std::clamp(at.x(), 0, std::max(0, available.width() - width())),
         std::clamp(at.y(), 0, std::max(0, available.height() - height())));
}

void PickPopup::showDetail(int row) {
    detail_->setText(detailOf(row));
    if (isVisible()) {
        announceCurrent(detail_->text());
    }
}

bool PickPopup::eventFilter(QObject* watched, QEvent* event) {
    const bool isLeft = event->type() == QEvent::FocusOut && isVisible() && isActiveWindow();
    const bool isEscape = event->type() == QEvent::KeyPress &&
                          static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape;
    if (isLeft || isEscape) {
        hide();
        return isEscape;
    }
    return Picker::eventFilter(watched, event);
}

void PickPopup::hideEvent(QHideEvent* event) {
    Picker::hideEvent(event);
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
        rows.appendRow(searchRow(hit, wanted_));
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
    : PickPopup(QStringLiteral("wireSearch"), tr("Search the other end"), parent), scene_(scene) {}

void WirePopup::openAt(QPoint at, const std::string& node, const std::optional<OwnPort>& own) {
    node_ = node;
    own_ = own;
    PickPopup::openAt(at);
}

std::optional<WireChoice> WirePopup::current() const {
    const int row = list().currentIndex().row();
    return isVisible() && row >= 0 ? std::optional(choices_.at(static_cast<size_t>(row)))
                                   : std::nullopt;
}

void WirePopup::fill(QStandardItemModel& rows, const QString& pattern) {
    const GraphModel& model = scene_.model();
    choices_ = wireChoices(
        model.document(), model.catalog(), scene_.wireableRects(), node_, pattern, own_);
    for (const WireChoice& choice : choices_) {
        rows.appendRow(searchRow(
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
