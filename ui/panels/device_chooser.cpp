#include "ui/panels/device_chooser.hpp"

#include "ui/bridge/answer.hpp"
#include "ui/panels/chart_parts.hpp"

#include <QSignalBlocker>

namespace lowtide::ui {

namespace {

constexpr int kCards[] = {4, 6, 8, 12, 24};  ///< GiB

}  // namespace

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
    if (devices != devices_ && devices.is_array()) {
        devices_ = devices;
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
    for (const Json& device : devices_) {
        const std::string id = textIn(device, "id");
        if (textIn(device, "kind") == "fake") {
            continue;  // offered below, by size
        }
        hasCpu = hasCpu || id == "cpu";
        add(id == "cpu" ? tr("CPU, %1").arg(bytesText(bytesIn(device, "capacity")))
                        : tr("%1, %2").arg(QString::fromStdString(textIn(device, "name")),
                                           bytesText(bytesIn(device, "capacity"))),
            id);
    }
    if (!hasCpu) {
        add(tr("CPU"), "cpu");
    }
    insertSeparator(count());
    for (const int size : kCards) {
        add(tr("Rehearse on %1 GiB").arg(size), "fake:" + std::to_string(size) + "GiB");
    }
    const QString wanted = QString::fromStdString(device_.value_or("cpu"));
    if (findData(wanted) < 0) {
        add(wanted.startsWith("fake") ? tr("Rehearse on %1").arg(wanted.section(':', 1)) : wanted,
            wanted.toStdString());
    }
    setCurrentIndex(findData(wanted));
}

}  // namespace lowtide::ui
