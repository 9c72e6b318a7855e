#include "ui/panels/device_chooser.hpp"

#include "ui/bridge/answer.hpp"
#include "ui/bridge/device_names.hpp"
#include "ui/theme/figures.hpp"

#include <QSignalBlocker>

#include <utility>

namespace lowtide::ui {

namespace {

/// Before the name of a card, among the texts of devices.
constexpr const char* kPlanFor = "as:";

}  // namespace

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
