#include "ui/theme/studio_style.hpp"

namespace lowtide::ui {

StudioStyle::StudioStyle() : QProxyStyle(QStringLiteral("fusion")) {}

}  // namespace lowtide::ui
