#include "ui/theme/fonts.hpp"

#include "plugin/base/error.hpp"
#include "ui/theme/tokens.hpp"

#include <QFontDatabase>

#include <array>
#include <string>

namespace lowtide::ui {

namespace {

constexpr std::array kFontFiles = {"fonts/Inter-Regular.otf",
                                   "fonts/Inter-Medium.otf",
                                   "fonts/Inter-SemiBold.otf",
                                   "fonts/JetBrainsMono-Regular.ttf"};

bool loadAll() {
    for (const char* file : kFontFiles) {
        if (QFontDatabase::addApplicationFontFromData(themeResource(file)) < 0) {
            throw Error(ErrorKind::Corrupt,
                        std::string("the bundled font ") + file + " cannot be read",
                        "restore resources/fonts and build again");
        }
    }
    return true;
}

}  // namespace

void loadBundledFonts() {
    // Qt keeps fonts for the whole program, so this is no cache of ours. A failure is tried anew.
    [[maybe_unused]] static const bool kLoaded = loadAll();
}

}  // namespace lowtide::ui
