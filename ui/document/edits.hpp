#pragma once

// Changes of a graph as pure functions; GraphModel::apply makes steps of them. Positions are canvas
// units [x, y]. Nothing here knows widgets.

#include "plugin/graph/catalog.hpp"
#include "plugin/graph/document.hpp"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lowtide::ui {

struct Point {
    double x = 0;
    double y = 0;

    bool operator==(const Point&) const = default;
};

using NodeIds = std::set<std::string>;

/// The type of a node; nullptr: there is no such node, or its type is unknown here.
[[nodiscard]] const NodeDesc* descOf(const graph::Document& document,
                                     const graph::Catalog& catalog,
                                     const std::string& id);
/// The node and all that its wires lead to, by those that are followed alone.
[[nodiscard]] NodeIds reachedFrom(
    const graph::Document& document,
    const std::string& id,
    const std::function<bool(const graph::Link&)>& isFollowed = [](const graph::Link&) {
        return true;
    });

[[nodiscard]] Point positionOf(const graph::DocumentNode& node);
void setPosition(graph::DocumentNode& node, Point point);

/// A new id that describes the node: "denoise", "denoise_2", ...
[[nodiscard]] std::string freshId(const graph::Document& document, const NodeDesc& desc);
/// Adds a node with its defaults; returns its id.
std::string addNode(graph::Document& document, const NodeDesc& desc, Point point);
/// Removes nodes with their links and exposed parameters. Where `heal` is set, an input of equal
/// type is wired on, as a bypass would.
void removeNodes(graph::Document& document,
                 const graph::Catalog& catalog,
                 const NodeIds& ids,
                 bool heal = false);
/// Replaces what fed the input. Does nothing when the wire is there.
void connect(graph::Document& document, const graph::PortRef& from, const graph::PortRef& to);
void disconnect(graph::Document& document, const graph::PortRef& to);
/// The wire into an input; nullptr: there is none. Links must be sorted, as in a document they are.
[[nodiscard]] const graph::Link* linkInto(const graph::Document& document,
                                          const graph::PortRef& to);
/// Puts a node into a wire by its first free input and first output that fit; false: none does.
bool insertIntoWire(graph::Document& document,
                    const graph::Catalog& catalog,
                    const std::string& id,
                    const graph::PortRef& wireTo);

/// Why a wire may not be drawn; empty: it may. Types, circles, ports that are not there.
[[nodiscard]] std::string wireRefusal(const graph::Document& document,
                                      const graph::Catalog& catalog,
                                      const graph::PortRef& from,
                                      const graph::PortRef& to);
/// Whether a value of the first wire type may go into the second: equal, or one is "*".
[[nodiscard]] bool typesFit(const std::string& from, const std::string& to);

/// Points through which a wire is drawn (reroutes); kept as the link's key "via".
[[nodiscard]] std::vector<Point> reroutesOf(const graph::Link& link);
void setReroutes(graph::Document& document, const graph::PortRef& to, std::vector<Point> points);

/// Sets the mode of all, or back to active when all have it already.
void toggleMode(graph::Document& document, const NodeIds& ids, graph::NodeMode mode);
/// Whether an output of the node could be passed through, so that bypassing it has a meaning.
[[nodiscard]] bool canBypass(const graph::Document& document,
                             const graph::Catalog& catalog,
                             const std::string& id);

/// Canvas facts of a node, kept as keys of its own that the engine does not read.
[[nodiscard]] bool isCollapsed(const graph::DocumentNode& node);
void setCollapsed(graph::DocumentNode& node, bool isCollapsed);
[[nodiscard]] bool isPinned(const graph::DocumentNode& node);
void setPinned(graph::DocumentNode& node, bool isPinned);
/// Whether inputs that need no wire and have none are shown one by one; else they are folded.
[[nodiscard]] bool showsUnusedInputs(const graph::DocumentNode& node);
void setShowsUnusedInputs(graph::DocumentNode& node, bool isShown);

/// How a seed is treated when the user presses Run.
enum class SeedMode { Keep, Random, Increment };
[[nodiscard]] SeedMode seedModeOf(const graph::DocumentNode& node, const std::string& param);
void setSeedMode(graph::DocumentNode& node, const std::string& param, SeedMode mode);

/// Seeds that are drawn: below this, so that users can read and type them.
inline constexpr uint64_t kDrawnSeeds = 1ull << 32;
/// The seed that a random number draws, also within what the parameter takes.
[[nodiscard]] uint64_t drawnSeed(const ParamDesc& param, uint64_t random);

/// Shows a parameter in the form (Generate), or no longer.
void setExposed(graph::Document& document,
                const std::string& node,
                const std::string& param,
                const std::string& label,
                bool isExposed);

/// A frame around nodes, or a note: rectangles with a text. Kept in Document::frames and ::notes.
struct Box {
    std::string id;
    std::string text;
    Point topLeft;
    Point size{240, 120};
    std::string colour;  ///< a token of the theme: "blue", "green", ...; empty: neutral
    bool isCollapsed = false;

    bool operator==(const Box&) const = default;
};

enum class BoxKind { Frame, Note };
/// What cannot be read as a box is left out here and kept in the document.
[[nodiscard]] std::vector<Box> boxesOf(const graph::Document& document, BoxKind kind);
/// Adds the box, or replaces the one of its id; an empty id is given one, which is returned.
std::string putBox(graph::Document& document, BoxKind kind, Box box);
void removeBox(graph::Document& document, BoxKind kind, const std::string& id);

/// Of [x, y]; nothing when it is something else. A number that no canvas reaches becomes the
/// farthest one.
[[nodiscard]] std::optional<Point> pointFrom(const Json& json);
/// [x, y]; whole numbers are written as such.
[[nodiscard]] Json jsonOf(Point point);

/// Sets the flag, or removes its key.
void setFlag(Json& object, const char* key, bool isSet);

/// What a user sees of the canvas.
struct ViewState {
    Point centre;
    double zoom = 1;
};

/// The view that a document keeps under a number from 1 to 9; nothing where none is kept, or what
/// is there is no view. Its key is "bookmarks", which the engine does not read.
[[nodiscard]] std::optional<ViewState> bookmarkOf(const graph::Document& document, int number);
void setBookmark(graph::Document& document, int number, const ViewState& view);

inline constexpr const char* kModelType = "MODEL";
inline constexpr const char* kConditioningType = "CONDITIONING";
inline constexpr const char* kAnyType = "*";

/// The first port of a wire type; nullptr: there is none.
[[nodiscard]] const PortDesc* portOfType(const std::vector<PortDesc>& ports,
                                         const std::string& type);
/// The first input of a wire type, or the one behind `which` others; without a node: there is none.
[[nodiscard]] graph::PortRef inputOfType(const graph::Document& document,
                                         const graph::Catalog& catalog,
                                         const std::string& node,
                                         const std::string& type,
                                         int which = 0);
/// The first output of a wire type, likewise.
[[nodiscard]] graph::PortRef outputOfType(const graph::Document& document,
                                          const graph::Catalog& catalog,
                                          const std::string& node,
                                          const std::string& type);
/// The active node of the highest worth, of equal ones the first by id; those below 0 are none.
/// Empty: there is none.
[[nodiscard]] std::string bestNode(const graph::Document& document,
                                   const std::function<int(const std::string& id)>& worthOf);
/// Whether it runs a denoiser.
[[nodiscard]] bool hasDenoiser(const NodeDesc& node);
/// The node from which a node's model comes, through those that change it; empty: none is wired.
[[nodiscard]] std::string modelSource(const graph::Document& document,
                                      const graph::Catalog& catalog,
                                      const std::string& node);

}  // namespace lowtide::ui
