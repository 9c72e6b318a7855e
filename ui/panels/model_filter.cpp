#include "ui/panels/model_filter.hpp"

#include "ui/panels/model_texts.hpp"
#include "ui/theme/theme.hpp"

#include <QComboBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QSignalBlocker>

#include <set>
#include <tuple>

namespace lowtide::ui {

namespace {

constexpr int kAny = -1;

/// Its first entry stays; the rest is renewed, and what was chosen stays chosen where it is there.
void refill(QComboBox& box, const std::vector<std::pair<QString, QVariant>>& entries) {
    const QSignalBlocker quiet(&box);
    const QVariant chosen = box.currentData();
    while (box.count() > 1) {
        box.removeItem(1);
    }
    for (const auto& [text, value] : entries) {
        box.addItem(text, value);
    }
    box.setCurrentIndex(std::max(0, box.findData(chosen)));
}

}  // namespace

ModelFilter::ModelFilter(QWidget* parent) : QWidget(parent), words_(new QLineEdit(this)) {
    words_->setObjectName(QStringLiteral("modelSearch"));
    words_->setPlaceholderText(tr("Search models"));
    words_->setAccessibleName(words_->placeholderText());
    words_->setClearButtonEnabled(true);
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
    auto* box = new QComboBox(this);
    box->setObjectName(QLatin1String(name));
    box->setToolTip(tip);
    box->setAccessibleName(tip);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(8);
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
    std::vector<std::pair<QString, QVariant>> kindEntries;
    for (const ModelKind kind : kinds) {
        kindEntries.emplace_back(kindText(kind), static_cast<int>(kind));
    }
    refill(*kind_, kindEntries);
    std::vector<std::pair<QString, QVariant>> familyEntries;
    for (const std::string& family : families) {
        familyEntries.emplace_back(QString::fromStdString(family), QString::fromStdString(family));
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
