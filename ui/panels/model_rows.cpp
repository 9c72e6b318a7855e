#include "ui/panels/model_rows.hpp"

#include "ui/language/module_texts.hpp"
#include "ui/panels/chart_parts.hpp"
#include "ui/panels/offered_models.hpp"
#include "ui/theme/figures.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QComboBox>
#include <QFontMetricsF>
#include <QGridLayout>
#include <QIcon>
#include <QLineEdit>
#include <QPainter>

#include <set>

namespace lowtide::ui {

namespace {

const char* verdictColour(ModelVerdict verdict) {
    switch (verdict) {
        case ModelVerdict::Fits:
            return "success";
        case ModelVerdict::Streams:
            return "warning";
        case ModelVerdict::TooBig:
            return "error";
        case ModelVerdict::Unknown:
            break;
    }
    return "text.muted";
}

QString plannedText(const ModelFit& fit) {
    switch (fit.verdict) {
        case ModelVerdict::Fits:
            return ModelFilter::tr("fits whole");
        case ModelVerdict::Streams:
            return ModelFilter::tr("streams %1 per forward pass").arg(bytesText(fit.streamed));
        case ModelVerdict::TooBig:
            return fit.needed > 0 ? ModelFilter::tr("needs %1").arg(bytesText(fit.needed))
                                  : ModelFilter::tr("does not fit");
        case ModelVerdict::Unknown:
            break;
    }
    return {};
}

constexpr int kModelRow = Theme::space(10);

/// As large as it fits; without one, a mark in its place.
void paintModelImage(QPainter& painter, const QRectF& area, const QImage& image) {
    if (image.isNull()) {
        const int side = Theme::current().size("icon");
        QRectF mark(0, 0, side, side);
        mark.moveCenter(area.center());
        Theme::current().icon("image", "border").paint(&painter, mark.toRect());
        return;
    }
    QRectF shown(QPointF(), QSizeF(image.size()).scaled(area.size(), Qt::KeepAspectRatio));
    shown.moveCenter(area.center());
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    painter.drawImage(shown, image);
}

constexpr int kAny = -1;
constexpr int kFilterLetters = 8;

}  // namespace

QString kindText(ModelKind kind) {
    switch (kind) {
        case ModelKind::Checkpoint:
            return ModelFilter::tr("checkpoint");
        case ModelKind::Denoiser:
            return ModelFilter::tr("denoiser");
        case ModelKind::DiffusionModel:
            return ModelFilter::tr("diffusion model");
        case ModelKind::TextEncoder:
            return ModelFilter::tr("text encoder");
        case ModelKind::Autoencoder:
            return ModelFilter::tr("autoencoder");
        case ModelKind::Upscaler:
            return ModelFilter::tr("upscaler");
        case ModelKind::Lora:
            return ModelFilter::tr("LoRA");
        case ModelKind::ControlNet:
            return ModelFilter::tr("ControlNet");
        case ModelKind::IpAdapter:
            return ModelFilter::tr("IP-Adapter");
        case ModelKind::ImageEncoder:
            return ModelFilter::tr("image encoder");
        case ModelKind::Embedding:
            return ModelFilter::tr("embedding");
        case ModelKind::Other:
            break;
    }
    return ModelFilter::tr("unknown");
}

QString familyText(const ModelFile& model) {
    return model.family.empty() ? kindText(model.kind) : QString::fromStdString(model.family);
}

FitText fitTextOf(const FoundModel& model,
                  const std::optional<ModelFit>& planned,
                  ModelVerdict byWeights) {
    if (!model.file.problem.empty()) {
        return {};
    }
    if (!model.file.isRunnable) {
        return {.text = ModelFilter::tr("not run here")};
    }
    if (!model.file.needs.empty()) {
        return {.text = ModelFilter::tr("runs with %1").arg(moduleSentence(model.file.needs))};
    }
    if (planned && planned->verdict != ModelVerdict::Unknown) {
        return {plannedText(*planned), verdictColour(planned->verdict), planned->verdict};
    }
    return {verdictText(byWeights), verdictColour(byWeights), byWeights};
}

QSize ModelRowDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
    return {0, kModelRow};
}

void ModelRowDelegate::paint(QPainter* painter,
                             const QStyleOptionViewItem& option,
                             const QModelIndex& index) const {
    paintRowGround(*painter, option);
    QRectF row = QRectF(option.rect).adjusted(Theme::space(2), 2, -Theme::space(2), -2);
    if (images_) {
        const QRectF area(row.topLeft(), QSizeF(row.height(), row.height()));
        paintModelImage(*painter, area, images_(index));
        row.setLeft(area.right() + Theme::space(2));
    }
    QRectF name(row.topLeft(), QSizeF(row.width(), row.height() / 2));
    const QRectF below = name.translated(0, name.height());
    if (const auto icon = index.data(Qt::DecorationRole).value<QIcon>(); !icon.isNull()) {
        const int side = Theme::current().size("icon");
        icon.paint(painter, QRectF(name.topLeft(), QSizeF(side, name.height())).toRect());
        name.adjust(side + Theme::space(1), 0, 0, 0);
    }
    const QFontMetricsF letters(Theme::current().font("body"));
    paintText(*painter,
              name,
              letters.elidedText(index.data().toString(), Qt::ElideMiddle, name.width()),
              "body",
              "text");
    const auto textAt = [&](int column) { return index.siblingAtColumn(column).data().toString(); };
    const QString family = textAt(ModelColumn::Family);
    const QString size = textAt(ModelColumn::Size);
    const QString verdict = textAt(ModelColumn::Verdict);
    const qreal right =
        QFontMetricsF(Theme::current().font("small")).horizontalAdvance(verdict) + 1;
    paintText(*painter,
              below.adjusted(0, 0, -right - Theme::space(2), 0),
              size.isEmpty() ? family : tr("%1, %2").arg(family, size),
              "small",
              "text.muted");
    paintText(*painter,
              below,
              verdict,
              "small",
              qPrintable(index.siblingAtColumn(ModelColumn::Verdict).data(Qt::UserRole).toString()),
              Qt::AlignRight);
}

ModelFilter::ModelFilter(QWidget* parent)
    : QWidget(parent), words_(makeSearch(tr("Search models"), "modelSearch", this)) {
    connect(words_, &QLineEdit::textChanged, this, &ModelFilter::changed);
    kind_ = addBox("modelKind", tr("Show models of one kind"));
    kind_->addItem(tr("All kinds"), kAny);
    family_ = addBox("modelFamily", tr("Show models of one family"));
    family_->addItem(tr("All families"), QString());
    fit_ = addBox("modelFit", tr("Show models by how they fit this device"));
    fit_->addItem(tr("Any size"), kAny);
    fit_->addItem(tr("Fits"), static_cast<int>(ModelVerdict::Fits));
    fit_->addItem(tr("Streams"), static_cast<int>(ModelVerdict::Streams));
    fit_->addItem(tr("Does not fit"), static_cast<int>(ModelVerdict::TooBig));
    order_ = addBox("modelOrder", tr("Order of the list"));
    order_->addItem(tr("By kind"), static_cast<int>(Order::Kind));
    order_->addItem(tr("By name"), static_cast<int>(Order::Name));
    order_->addItem(tr("Newest first"), static_cast<int>(Order::Newest));
    order_->addItem(tr("Largest first"), static_cast<int>(Order::Largest));
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(Theme::space(1));
    grid->addWidget(words_, 0, 0, 1, 2);
    grid->addWidget(kind_, 1, 0);
    grid->addWidget(family_, 1, 1);
    grid->addWidget(fit_, 2, 0);
    grid->addWidget(order_, 2, 1);
    grid->setColumnStretch(0, 1);
    grid->setColumnStretch(1, 1);
}

QComboBox* ModelFilter::addBox(const char* name, const QString& tip) {
    QComboBox* box = makeChooser(tip, name, kFilterLetters, this);
    connect(box, &QComboBox::currentIndexChanged, this, &ModelFilter::changed);
    return box;
}

void ModelFilter::setModels(const std::vector<FoundModel>& models) {
    std::set<ModelKind> kinds;
    std::set<std::string> families;
    for (const FoundModel& model : models) {
        kinds.insert(model.file.kind);
        families.insert(model.file.family);
    }
    families.erase(std::string());
    QList<std::pair<QString, QVariant>> kindEntries;
    for (const ModelKind kind : kinds) {
        kindEntries.emplaceBack(kindText(kind), static_cast<int>(kind));
    }
    refill(*kind_, kindEntries);
    QList<std::pair<QString, QVariant>> familyEntries;
    for (const std::string& family : families) {
        familyEntries.emplaceBack(QString::fromStdString(family), QString::fromStdString(family));
    }
    refill(*family_, familyEntries);
}

bool ModelFilter::accepts(const FoundModel& model, const QString& note) const {
    const int kind = kind_->currentData().toInt();
    const QString family = family_->currentData().toString();
    const QString words = words_->text().trimmed();
    return (kind == kAny || static_cast<int>(model.file.kind) == kind) &&
           (family.isEmpty() || QString::fromStdString(model.file.family) == family) &&
           (QString::fromStdString(model.relative).contains(words, Qt::CaseInsensitive) ||
            note.contains(words, Qt::CaseInsensitive));
}

std::optional<ModelVerdict> ModelFilter::verdict() const {
    const int chosen = fit_->currentData().toInt();
    return chosen == kAny ? std::nullopt : std::optional(static_cast<ModelVerdict>(chosen));
}

ModelFilter::Order ModelFilter::order() const {
    return static_cast<Order>(order_->currentData().toInt());
}

bool ModelFilter::isBefore(const FoundModel& first, const FoundModel& second) const {
    switch (order()) {
        case Order::Newest:
            return first.identity.modifiedNanoseconds > second.identity.modifiedNanoseconds;
        case Order::Largest:
            return first.file.weights > second.file.weights;
        case Order::Name:
            return QString::fromStdString(first.file.name)
                       .compare(QString::fromStdString(second.file.name), Qt::CaseInsensitive) < 0;
        case Order::Kind:
            break;
    }
    return false;  // the library's own
}

}  // namespace lowtide::ui
