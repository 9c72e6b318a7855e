#include "ui/panels/device_chooser.hpp"

#include "ui/bridge/answer.hpp"
#include "ui/bridge/device_names.hpp"
#include "ui/theme/figures.hpp"

#include <QSignalBlocker>

#include <utility>

namespace lowtide::ui {

DeviceChooser::DeviceChooser(QWidget* parent) : QComboBox(parent) {
    setObjectName("device");
    setAccessibleName(tr("Device of the run"));
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(12);
    connect(this, &QComboBox::activated, this, [this](int index) {
        const std::string device = itemData(index).toString().toStdString();
        device_ = device == "cpu" ? std::nullopt : std::optional(device);
        Q_EMIT chosen(device_);
    });
    fill();
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
    const QString wanted = QString::fromStdString(device_.value_or("cpu"));
    if (findData(wanted) < 0) {
        add(deviceText(wanted.toStdString()), wanted.toStdString());
    }
    setCurrentIndex(findData(wanted));
}

}  // namespace lowtide::ui
