#pragma once

#include "plugin/host_api/qt_entry.hpp"

#include <QObject>

#include <mutex>

namespace lowtide::qt_plugin {

/// The root object of liblowtide_qt.so.
class QtPlugin final : public QObject, public QtEntry {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID LOWTIDE_QT_IID FILE "lowtide_qt.json")
    Q_INTERFACES(lowtide::QtEntry)

public:
    Plugin* pluginFor(uint32_t abi, const char* toolchain) noexcept override;
    [[nodiscard]] QString reason() const override;

private:
    mutable std::mutex mutex_;
    QString reason_;
};

}  // namespace lowtide::qt_plugin
