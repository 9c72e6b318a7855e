#include "ui/panels/preset_cards.hpp"

#include "ui/panels/panel_parts.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPainterPath>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QTextLayout>

#include <algorithm>

namespace lowtide::ui {

namespace {

constexpr int kCardImage = 104;
constexpr int kInset = 8;
constexpr int kTextHeight = 52;
constexpr QSize kCard(kCardImage + 2 * kInset, kCardImage + kTextHeight + 2 * kInset);

enum Role { Id = Qt::UserRole, Image, Problem, Origin };

/// Paints a card: image, title in two lines at most, and what is wrong with it.
class CardDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override {
        const QSize cell = kCard + QSize(kInset, kInset);
        return {filledWidth(option, cell.width()), cell.height()};
    }

    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const Theme& theme = Theme::current();
        const QRectF card =
            QRectF(option.rect).adjusted(kInset / 2, kInset / 2, -kInset / 2, -kInset / 2);
        const bool isChosen = option.state.testFlag(QStyle::State_Selected);
        const bool isHovered = option.state.testFlag(QStyle::State_MouseOver);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(QPen(theme.colour(isChosen ? "focus" : "border"), isChosen ? 2 : 1));
        painter->setBrush(theme.colour(isChosen ? "selection" : isHovered ? "hover" : "raised"));
        painter->drawRoundedRect(
            card.adjusted(1, 1, -1, -1), theme.size("radius"), theme.size("radius"));
        painter->drawPixmap(QPointF(card.center().x() - kCardImage / 2.0, card.top() + kInset),
                            index.data(Image).value<QPixmap>());
        paintText(*painter, card, index);
        painter->restore();
    }

private:
    static void paintText(QPainter& painter, const QRectF& card, const QModelIndex& index) {
        const Theme& theme = Theme::current();
        const QRectF text(card.left() + kInset,
                          card.top() + kCardImage + kInset + 4,
                          card.width() - 2 * kInset,
                          kTextHeight - 4);
        const QString problem = index.data(Problem).toString();
        painter.setPen(theme.colour("text"));
        painter.setFont(theme.font("label"));
        const QFontMetricsF title(painter.font());
        // Line by line: fonts that stand in for others make a block of lines higher.
        double baseline = text.top() + title.ascent();
        for (const QString& line :
             cardLines(index.data().toString(), painter.font(), text.width(), 2)) {
            painter.drawText(QPointF(text.left(), baseline), line);
            baseline += title.lineSpacing();
        }
        painter.setFont(theme.font("small"));
        painter.setPen(theme.colour(problem.isEmpty() ? "text.muted" : "warning"));
        const QString below = problem.isEmpty() ? index.data(Origin).toString() : problem;
        painter.drawText(
            text,
            Qt::AlignLeft | Qt::AlignBottom,
            QFontMetricsF(painter.font()).elidedText(below, Qt::ElideRight, text.width()));
    }
};

QString problemOf(const PresetEntry& entry) {
    if (!entry.problem.isEmpty()) {
        return PresetCards::tr("Cannot be opened");
    }
    const auto missing =
        std::ranges::count_if(entry.files, [](const auto& file) { return !file.isThere; });
    return missing == 0 ? QString()
                        : PresetCards::tr("%n files missing", nullptr, static_cast<int>(missing));
}

constexpr int kDialogImage = 128;
constexpr int kDescriptionHeight = 84;
constexpr int kDialogWidth = 440;

}  // namespace

QStringList cardLines(const QString& text, const QFont& font, qreal width, int most) {
    QTextLayout layout(text, font);
    QTextOption wrapping;
    wrapping.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    layout.setTextOption(wrapping);
    QStringList lines;
    layout.beginLayout();
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(width);
        const bool isLast = lines.size() + 1 == most;
        const QString rest = text.mid(line.textStart());
        lines << (isLast ? QFontMetricsF(font).elidedText(rest, Qt::ElideRight, width)
                         : rest.left(line.textLength()).trimmed());
        if (isLast) {
            break;
        }
    }
    layout.endLayout();
    return lines;
}

QPixmap cardImage(const PresetEntry& entry, int side, double scale) {
    const int pixels = static_cast<int>(side * scale);
    QPixmap image(pixels, pixels);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
    QPainterPath shape;
    shape.addRoundedRect(image.rect(), 4 * scale, 4 * scale);
    painter.fillPath(shape, Theme::current().colour("canvas"));
    if (entry.thumbnail.isNull()) {
        const int icon = static_cast<int>(32 * scale);
        const char* name = entry.problem.isEmpty() ? "image" : "warning";
        Theme::current()
            .icon(name, "text.muted")
            .paint(&painter, (pixels - icon) / 2, (pixels - icon) / 2, icon, icon);
    } else {
        painter.setClipPath(shape);
        const QImage scaled = entry.thumbnail.scaled(
            pixels, pixels, Qt::KeepAspectRatioByExpanding, Qt::SmoothTransformation);
        painter.drawImage((pixels - scaled.width()) / 2, (pixels - scaled.height()) / 2, scaled);
    }
    painter.end();
    image.setDevicePixelRatio(scale);
    return image;
}

PresetCards::PresetCards(QWidget* parent) : QListView(parent) {
    setObjectName(QStringLiteral("presetCards"));
    setAccessibleName(tr("Presets"));
    cards_ = new QStandardItemModel(this);
    setModel(cards_);
    setItemDelegate(new CardDelegate(this));
    setViewMode(QListView::IconMode);
    setResizeMode(QListView::Adjust);
    setMovement(QListView::Static);
    setUniformItemSizes(true);
    setMouseTracking(true);
    setFrameShape(QFrame::NoFrame);
    setViewportMargins(Theme::space(2), 0, 0, 0);
    setSelectionMode(QAbstractItemView::SingleSelection);
    viewport()->setAutoFillBackground(false);  // cards lie on the panel's own ground
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    connect(this, &QListView::activated, this, [this](const QModelIndex& index) {
        Q_EMIT taken(index.data(Id).toString());
    });
}

void PresetCards::setEntries(const std::vector<const PresetEntry*>& entries) {
    const QString before = chosen();
    cards_->clear();
    for (const PresetEntry* entry : entries) {
        auto* card = new QStandardItem(entry->title);
        card->setEditable(false);
        card->setData(entry->id, Id);
        card->setData(cardImage(*entry, kCardImage, devicePixelRatioF()), Image);
        card->setData(problemOf(*entry), Problem);
        card->setData(entry->isBuiltin ? tr("Built in") : tr("Your own"), Origin);
        card->setToolTip(entry->problem.isEmpty() ? entry->title : entry->problem);
        cards_->appendRow(card);
    }
    if (before != unasked_ && indexOf(before).isValid()) {
        choose(before);
        return;
    }
    choose({});
    unasked_ = chosen();
    if (currentIndex().row() == 0) {
        scrollToTop();  // the list was longer
    }
}

QString PresetCards::chosen() const {
    return currentIndex().data(Id).toString();
}

QModelIndex PresetCards::indexOf(const QString& id) const {
    for (int row = 0; row < cards_->rowCount(); ++row) {
        if (cards_->index(row, 0).data(Id) == id) {
            return cards_->index(row, 0);
        }
    }
    return {};
}

void PresetCards::choose(const QString& id) {
    const QModelIndex index = indexOf(id);
    if (index.isValid()) {
        unasked_.clear();
        setCurrentIndex(index);
        return;
    }
    int first = 0;
    while (first < cards_->rowCount() &&
           !cards_->index(first, 0).data(Problem).toString().isEmpty()) {
        ++first;
    }
    setCurrentIndex(cards_->index(first < cards_->rowCount() ? first : 0, 0));
}

void PresetCards::showWhole(int width) {
    const QSize cell = kCard + QSize(kInset, kInset);
    const int columns = std::max(1, width / cell.width());
    const int rows = (cards_->rowCount() + columns - 1) / columns;
    setViewportMargins(0, 0, 0, 0);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFixedSize(width, rows * cell.height() + kInset);
}

void PresetCards::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
    QListView::currentChanged(current, previous);
    Q_EMIT chosenChanged(current.data(Id).toString());
}

PresetDialog::PresetDialog(const PresetText& proposed, const QImage& thumbnail, QWidget* parent)
    : QDialog(parent) {
    setObjectName(QStringLiteral("presetDialog"));
    setWindowTitle(tr("Save as preset"));
    title_ = named("title", new QLineEdit(proposed.title, this));
    title_->selectAll();
    title_->setFocus(Qt::OtherFocusReason);
    tags_ = named("tags", new QLineEdit(proposed.tags.join(QStringLiteral(", ")), this));
    tags_->setPlaceholderText(tr("separated by commas"));
    description_ = named("description", new QPlainTextEdit(proposed.description, this));
    description_->setMaximumHeight(kDescriptionHeight);
    description_->setTabChangesFocus(true);
    auto* form = new QFormLayout;
    form->setVerticalSpacing(Theme::space(2));
    form->setHorizontalSpacing(Theme::space(3));
    if (!thumbnail.isNull()) {
        auto* image = new QLabel(this);
        PresetEntry shown;
        shown.thumbnail = thumbnail;
        image->setPixmap(cardImage(shown, kDialogImage, devicePixelRatioF()));
        form->addRow(tr("Image"), image);
    }
    form->addRow(tr("Title"), title_);
    form->addRow(tr("Tags"), tags_);
    form->addRow(tr("Description"), description_);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel, this);
    save_ = named("save", buttons->button(QDialogButtonBox::Save));
    save_->setEnabled(!proposed.title.trimmed().isEmpty());
    connect(title_, &QLineEdit::textChanged, this, [this](const QString& title) {
        save_->setEnabled(!title.trimmed().isEmpty());
    });
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    columnIn(this, 4, {5, 5, 5, 5}, {form, buttons});
    setMinimumWidth(kDialogWidth);
}

PresetText PresetDialog::text() const {
    QStringList tags;
    for (const QString& tag : tags_->text().split(QLatin1Char(','))) {
        if (const QString plain = tag.simplified(); !plain.isEmpty() && !tags.contains(plain)) {
            tags.push_back(plain);
        }
    }
    return {.title = title_->text().trimmed(),
            .description = description_->toPlainText().trimmed(),
            .tags = tags};
}

}  // namespace lowtide::ui
