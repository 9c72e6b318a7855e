#include "ui/panels/memory_settings.hpp"

#include "plugin/base/error.hpp"
#include "plugin/memory/device_spec.hpp"
#include "ui/bridge/answer.hpp"
#include "ui/bridge/device_memory.hpp"
#include "ui/editors/edit_session.hpp"
#include "ui/panels/chart_parts.hpp"
#include "ui/theme/figures.hpp"
#include "ui/theme/theme.hpp"
#include "ui/theme/window_parts.hpp"

#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSlider>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace lowtide::ui {

namespace {

std::optional<memory::MemoryBudget> readBudget(const std::string& text) {
    return memory::isMemoryBudget(text) ? std::optional(memory::parseMemoryBudget(text))
                                        : std::nullopt;
}

constexpr int kSteps = 96;      ///< below the right end, which is without a bound
constexpr double kOctaves = 9;  ///< from the largest down to its 512th part
constexpr int kUnbounded = kSteps + 1;

/// Before the name of a card, among the texts of devices.
constexpr const char* kPlanFor = "as:";

}  // namespace

QString budgetProblem(const QString& text) {
    const std::string stated = text.trimmed().toStdString();
    if (stated.empty()) {
        return {};
    }
    const std::optional<memory::MemoryBudget> read = readBudget(stated);
    bool isPositive = read.has_value() && read->main.value_or(1) > 0;
    for (const auto& [device, bytes] : read.value_or(memory::MemoryBudget()).devices) {
        isPositive = isPositive && bytes > 0;
    }
    return isPositive ? QString()
                      : BudgetSlider::tr(
                            "“%1” is not a memory budget. Enter a size such as 6GiB, one for "
                            "each device such as cuda:0=20GiB,cpu=8GiB, or nothing.")
                            .arg(text.trimmed());
}

std::optional<std::string> statedBudget(const QString& text) {
    const std::string stated = text.trimmed().toStdString();
    return stated.empty() ? std::nullopt : std::optional(stated);
}

std::optional<Bytes> budgetOf(const std::string& stated, const std::string& device) {
    const std::optional<memory::MemoryBudget> read = readBudget(stated);
    return read ? read->of(memory::parseDeviceSpec(device), true) : std::nullopt;
}

std::string withBudget(const std::string& stated,
                       const std::string& device,
                       Bytes bound,
                       Bytes size) {
    const memory::MemoryBudget read = readBudget(stated).value_or(memory::MemoryBudget());
    const bool isOfMain = !read.devices.contains(device) && read.main == bound;
    const std::string others = read.main ? budgetText(*read.main) + "," : std::string();
    return memory::withMain(
        stated, device, isOfMain ? budgetText(size) : others + device + "=" + budgetText(size));
}

std::string budgetText(Bytes bytes) {
    return wholeBytesText(bytes).remove(QLatin1Char(' ')).toStdString();
}

Bytes roundedUp(Bytes bytes) {
    if (bytes < 16 * kKiB) {
        return alignUp(bytes, kKiB);
    }
    const Bytes power = static_cast<Bytes>(std::bit_floor(static_cast<uint64_t>(bytes)));
    return alignUp(bytes, power / 16);
}

BudgetSlider::BudgetSlider(QWidget* parent)
    : QWidget(parent),
      slider_(named("budgetSlider", new QSlider(Qt::Horizontal, this))),
      field_(named("budgetField", new QLineEdit(this))),
      note_(makeText({}, "budgetNote", this, "small")) {
    setObjectName("budget");
    slider_->setRange(0, kUnbounded);
    slider_->setPageStep(8);
    slider_->setAccessibleName(tr("Memory budget"));
    field_->setPlaceholderText(tr("no limit"));
    field_->setFixedWidth(Theme::space(22));
    field_->setAccessibleName(tr("Memory budget, exact"));
    auto* layout = new QGridLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setHorizontalSpacing(Theme::space(2));
    layout->setVerticalSpacing(Theme::space(1));
    layout->addWidget(slider_, 0, 0);
    layout->addWidget(field_, 0, 1);
    layout->addWidget(note_, 1, 0, 1, 2);
    connect(slider_, &QSlider::valueChanged, this, &BudgetSlider::takeSlider);
    connect(slider_, &QSlider::sliderReleased, this, [this] { Q_EMIT edited(stated_, true); });
    EditSession::watch(*field_, [this] { return takeText(); });
    showBudget();
}

std::optional<Bytes> BudgetSlider::budgetAt(int step) const {
    if (step >= kUnbounded) {
        return std::nullopt;
    }
    const double octaves = kOctaves * (1 - static_cast<double>(step) / kSteps);
    const double bytes = static_cast<double>(largest_) / std::exp2(octaves);
    return std::min(largest_, roundedUp(static_cast<Bytes>(bytes)));
}

int BudgetSlider::stepOf(std::optional<Bytes> budget) const {
    if (!budget || *budget <= 0) {
        return kUnbounded;
    }
    const double octaves = std::log2(static_cast<double>(largest_) / static_cast<double>(*budget));
    return static_cast<int>(
        std::clamp(std::lround(kSteps * (1 - octaves / kOctaves)), 0L, long{kSteps}));
}

void BudgetSlider::setRange(Bytes largest, Bytes least) {
    largest_ = std::max<Bytes>(largest, kMiB);
    least_ = least;
    showBudget();
}

void BudgetSlider::setBudget(std::optional<std::string> stated, const std::string& device) {
    stated_ = std::move(stated);
    device_ = device;
    showBudget();
}

std::optional<Bytes> BudgetSlider::budget() const {
    return budgetOf(stated_.value_or(""), device_);
}

void BudgetSlider::keyPressEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_Escape || !field_->isModified()) {
        QWidget::keyPressEvent(event);
        return;
    }
    forgetTyped();
    showBudget();
}

/// The value before it, or another one, takes its place.
void BudgetSlider::forgetTyped() {
    problem_.clear();
    field_->setModified(false);
}

void BudgetSlider::takeSlider(int step) {
    forgetTyped();
    const std::optional<Bytes> size = budgetAt(step);
    const std::string others = stated_.value_or("");
    stated_ = statedBudget(QString::fromStdString(
        memory::withMain(others, device_, size ? budgetText(*size) : std::string())));
    showBudget();
    Q_EMIT edited(stated_, !slider_->isSliderDown());
}

bool BudgetSlider::takeText() {
    problem_ = budgetProblem(field_->text());
    if (!problem_.isEmpty()) {
        showBudget();
        return false;
    }
    const std::optional<std::string> typed = statedBudget(field_->text());
    const std::optional<Bytes> size = parseBytes(typed.value_or(""));
    const std::optional<std::string> before =
        std::exchange(stated_, size ? std::optional(budgetText(*size)) : typed);
    showBudget();
    if (stated_ != before) {
        Q_EMIT edited(stated_, true);
    }
    return true;
}

void BudgetSlider::showBudget() {
    const QSignalBlocker silence(slider_);
    // Where the slider stands is kept when it means the same: a rounded figure may lie nearer to
    // the next step, and the keys would never get past it.
    if (!slider_->isSliderDown() && budgetAt(slider_->value()) != budget()) {
        slider_->setValue(stepOf(budget()));
    }
    if (problem_.isEmpty()) {
        EditSession::showUnlessTyped(*field_, QString::fromStdString(stated_.value_or("")));
    }
    note_->setText(!problem_.isEmpty() ? problem_
                   : least_ > 0        ? tr("Needs at least %1").arg(bytesText(least_))
                   : budget()          ? tr("At most %1").arg(bytesText(*budget()))
                                       : tr("No limit: all that is free"));
}

DeviceChooser::DeviceChooser(QWidget* parent) : QComboBox(parent) {
    setObjectName("device");
    setAccessibleName(tr("Device of the run"));
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(12);
    connect(this, &QComboBox::activated, this, &DeviceChooser::take);
    fill();
}

void DeviceChooser::take(int index) {
    const std::string choice = itemData(index).toString().toStdString();
    if (choice.starts_with(kPlanFor)) {
        card_ = choice.substr(std::string_view(kPlanFor).size());
        Q_EMIT cardChosen(card_);
        return;
    }
    if (!card_.empty()) {
        card_.clear();
        Q_EMIT cardChosen(card_);
    }
    device_ = choice == "cpu" ? std::nullopt : std::optional(choice);
    Q_EMIT chosen(device_);
}

void DeviceChooser::setCards(const Json& cards) {
    if (!cards.is_array()) {
        return;
    }
    std::vector<Offered> offered;
    for (const Json& card : cards) {
        const std::string name = textIn(card, "name");
        offered.push_back({name, QString::fromStdString(name), bytesIn(card, "memory")});
    }
    if (offered != cards_) {
        cards_ = std::move(offered);
        fill();
    }
}

void DeviceChooser::setCard(const std::string& name) {
    if (name != card_) {
        card_ = name;
        fill();
    }
}

void DeviceChooser::setDevices(const Json& devices) {
    if (!devices.is_array()) {
        return;
    }
    std::vector<Offered> offered;
    for (const Json& device : devices) {
        if (textIn(device, "kind") != "fake") {  // those are offered by size
            offered.push_back({textIn(device, "id"),
                               QString::fromStdString(textIn(device, "name")),
                               bytesIn(device, "capacity")});
        }
    }
    if (offered != offered_) {  // how much is free changes all the time, and the list may be open
        offered_ = std::move(offered);
        fill();
    }
}

void DeviceChooser::setDevice(const std::optional<std::string>& device) {
    if (device != device_) {
        device_ = device;
        fill();
    }
}

void DeviceChooser::add(const QString& label, const std::string& device) {
    addItem(label, QString::fromStdString(device));
}

void DeviceChooser::fill() {
    const QSignalBlocker silence(this);
    clear();
    bool hasCpu = false;
    for (const Offered& device : offered_) {
        hasCpu = hasCpu || device.id == "cpu";
        add(tr("%1, %2").arg(device.id == "cpu" ? tr("CPU") : device.name,
                             bytesText(device.capacity)),
            device.id);
    }
    if (!hasCpu) {
        add(tr("CPU"), "cpu");
    }
    insertSeparator(count());
    for (const std::string& card : rehearsedCards()) {
        add(deviceText(card), card);
    }
    const std::string device = device_.value_or("cpu");
    if (findData(QString::fromStdString(device)) < 0) {
        add(deviceText(device), device);
    }
    if (!cards_.empty()) {
        insertSeparator(count());
    }
    for (const Offered& card : cards_) {
        add(tr("Plan for %1, %2").arg(card.name, bytesText(card.capacity)), kPlanFor + card.id);
    }
    const std::string choice = card_.empty() ? device : kPlanFor + card_;
    if (findData(QString::fromStdString(choice)) < 0) {
        add(tr("Plan for %1").arg(QString::fromStdString(card_)), choice);
    }
    setCurrentIndex(findData(QString::fromStdString(choice)));
}

}  // namespace lowtide::ui
