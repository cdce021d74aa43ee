package main

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	luajson "layeh.com/gopher-json"
)

// Argo CD ends a script after this time.
const longestScript = time.Second

// evaluate runs a script as Argo CD runs those of its ConfigMap, with the fewest libraries: base, table and two functions
// of os. The object is the global obj; what the script returns comes back as JSON.
func evaluate(script string, object *unstructured.Unstructured) ([]byte, error) {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for name, open := range map[string]lua.LGFunction{
		lua.LoadLibName: lua.OpenPackage,
		lua.BaseLibName: lua.OpenBase,
		lua.TabLibName:  lua.OpenTable,
	} {
		call := lua.P{Fn: state.NewFunction(open), Protect: true}
		if err := state.CallByParam(call, lua.LString(name)); err != nil {
			return nil, err
		}
	}
	state.PreloadModule(lua.OsLibName, func(state *lua.LState) int {
		functions := map[string]lua.LGFunction{"time": osTime, "date": osDate}
		state.Push(state.SetFuncs(state.NewTable(), functions))
		return 1
	})
	ctx, cancel := context.WithTimeout(context.Background(), longestScript)
	defer cancel()
	state.SetContext(ctx)
	state.SetGlobal("obj", toLua(state, object.Object))
	if err := state.DoString(script); err != nil {
		return nil, err
	}
	returned := state.Get(-1)
	if returned.Type() != lua.LTTable {
		return nil, fmt.Errorf("the script returned no table but %s", returned.Type())
	}
	return luajson.Encode(returned)
}

func toLua(state *lua.LState, value any) lua.LValue {
	switch value := value.(type) {
	case bool:
		return lua.LBool(value)
	case string:
		return lua.LString(value)
	case float64:
		return lua.LNumber(value)
	case int64:
		return lua.LNumber(value)
	case []any:
		table := state.CreateTable(len(value), 0)
		for _, item := range value {
			table.Append(toLua(state, item))
		}
		return table
	case map[string]any:
		table := state.CreateTable(0, len(value))
		for key, item := range value {
			table.RawSetString(key, toLua(state, item))
		}
		return table
	}
	return lua.LNil
}

func osTime(state *lua.LState) int {
	state.Push(lua.LNumber(math.Trunc(float64(time.Now().Unix()))))
	return 1
}

// The flags that a time stamp needs; any other makes the script fail, so that nobody relies on it unseen.
var dateFlags = map[byte]string{'Y': "2006", 'm': "01", 'd': "02", 'H': "15", 'M': "04", 'S': "05", 'X': "15:04:05", 'F': "2006-01-02"}

func osDate(state *lua.LState) int {
	format := state.CheckString(1)
	now := time.Now()
	if strings.HasPrefix(format, "!") {
		now, format = now.UTC(), format[1:]
	}
	var text strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			text.WriteByte(format[i])
			continue
		}
		i++
		if i == len(format) || dateFlags[format[i]] == "" {
			state.RaiseError("os.date: unknown flag in %q", format)
		}
		text.WriteString(now.Format(dateFlags[format[i]]))
	}
	state.Push(lua.LString(text.String()))
	return 1
}
