#include "ui/studio/system_facts.hpp"

#include "ui/bridge/answer.hpp"
#include "ui/door/os.hpp"

#include <QGuiApplication>
#include <QLocale>
#include <QSysInfo>
#include <QThread>

namespace lowtide::ui {

Json systemFacts(const Plugin* plugin, const Json& devices) {
    const QString desktop = qEnvironmentVariable("XDG_CURRENT_DESKTOP");
    Json facts = {{"lowtide", QCoreApplication::applicationVersion().toStdString()},
                  {"qt", qVersion()},
                  {"qt_platform", QGuiApplication::platformName().toStdString()},
                  {"scale", qGuiApp->devicePixelRatio()},
                  {"language", QLocale().name().toStdString()},
                  {"system", QSysInfo::prettyProductName().toStdString()},
                  {"kernel", QSysInfo::kernelVersion().toStdString()},
                  {"processor", door::processorName()},
                  {"threads", QThread::idealThreadCount()},
                  {"memory", door::machineMemory()},
                  {"devices", devices}};
    if (!desktop.isEmpty()) {
        facts["desktop"] = desktop.toStdString();
    }
    if (plugin) {
        facts["module"] = answerOf(std::string(plugin->info()));
    }
    return facts;
}

}  // namespace lowtide::ui
